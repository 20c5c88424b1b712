"""Names in mails hold nothing to open and nothing to call, and stay readable."""

import pytest

from helpdesk.mail.names import safe_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Chase: account locked! Call +1 900 555 0199", "Chase: account locked! Call"),
        ("Call (900)-555.0199 now", "Call now"),
        ("Your code is 123456", "Your code is"),
        ("Ring \u0661\u0662\u0663\u0664\u0665\u0666", "Ring"),
        ("Ring \uff11\uff12\uff13\uff14\uff15", "Ring"),
        ("Dial 1\ufe0f\u20e3 2\ufe0f\u20e3 3\ufe0f\u20e3 4\ufe0f\u20e3 5\ufe0f\u20e3", "Dial \ufe0f\u20e3"),
        ("open https://evil.example/x NOW", "open NOW"),
        ("open HTTPS:evil.example", "open"),
        ("open www.evil.example/x", "open"),
        ("write to help@evil.example", "write to"),
        ("see evil.example/x?y=1", "see evil example"),
        ("see evil\u3002example", "see evil example"),
        ("see evil\u2024example", "see evil example"),
        ("see evil\u200b.example", "see evil example"),
        ("see 203.0.113.77", "see"),
        ("https://evil.example", ""),
        ("go to evil.\u092d\u093e\u0930\u0924/x now", "go to evil \u092d\u093e\u0930\u0924/x now"),
        ("i\u2764.ws/login", "i\u2764 ws/login"),
        ("evil.c-o/x", "evil c-o/x"),
        ("see 1.1.1.1/x", "see"),
    ],
)
def test_addresses_and_long_numbers_are_left_out(name: str, shown: str) -> None:
    assert safe_name(name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "Acme Inc.",
        "J.R. Smith",
        "Studio 54",
        "Web 2.0 AG",
        "3M",
        "Forever 21 & Co.",
        "Caf\u00e9 M\u00fcller \u2013 Z\u00fcrich",
        "\u682a\u5f0f\u4f1a\u793e\u30c6\u30b9\u30c8",
        "\U0001f469\u200d\U0001f4bb Shop",
        "A/B Testing: 2024",
        "",
    ],
)
def test_an_ordinary_name_stays_as_it_is(name: str) -> None:
    assert safe_name(name) == name


def test_a_host_as_a_name_stays_readable() -> None:
    assert safe_name("Booking.com") == "Booking com"
