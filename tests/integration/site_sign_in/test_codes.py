"""Signing in with a code by mail: once, in one browser, with five tries, and the same for every address."""

import re

import pytest

from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotAllowed, MailNotSent, MailRefused
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.site.sign_in import codes
from tests.support import site
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.mail import post_office
from tests.support.site_browser import SiteBrowser
from tests.support.table import everything, of_kind

type Mails = list[tuple[str, str, str]]


def wrong(code: str) -> str:
    """Return another code."""
    return f"{(int(code) + 1) % 1_000_000:06}"


def ask(browser: SiteBrowser) -> None:
    """Ask for a code on the page of signing in."""
    browser.open("/sign-in")
    browser.press(email="ada@example.com")


def test_a_code_has_six_digits_and_signs_in_the_customer_of_the_address(
    browser: SiteBrowser, mails: Mails, api: Client
) -> None:
    browser.open("/sign-in?to=board/12-dark-mode")
    page = browser.press(email="  Ada@Example.COM ")
    assert "Check your mail" in page.words()
    [(email, code, _)] = mails
    assert (email, bool(re.fullmatch(r"[0-9]{6}", code))) == ("ada@example.com", True)

    led = browser.send(*_with(browser, code=f" {code[:3]} {code[3:]} "))

    assert (led.status, led.headers["location"]) == (303, f"{browser.root}/board/12-dark-mode")
    [customer] = api.get("/v1/customers").body["customers"]
    assert customer["email"] == "ada@example.com"
    assert "signed in as ada@example.com" in browser.open("/sign-in").words()


def _with(browser: SiteBrowser, action: str = "/code", **typed: str) -> tuple[str, dict[str, str]]:
    where, fields = browser.form(action)
    return where, {**fields, **typed}


def test_on_another_device_they_are_the_same_customer(root: str, mails: Mails) -> None:
    for _ in range(2):
        browser = SiteBrowser(root)
        ask(browser)
        browser.press(code=mails[-1][1])

    assert len(of_kind("CUS")) == 1
    assert len(of_kind("SESSION")) == 3  # two browsers, and the session that the customer writes in


def test_the_cookie_changes_with_the_sign_in_so_that_a_planted_one_is_worthless(
    browser: SiteBrowser, mails: Mails
) -> None:
    browser.open("/sign-in")
    planted = dict(browser.cookies)
    browser.press(email="ada@example.com")
    browser.press(code=mails[-1][1])

    assert browser.cookies != planted
    thief = SiteBrowser(browser.root, cookies=planted)
    assert thief.open("/sign-in").html.css_first("#email") is not None


def test_a_code_is_used_once(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    before, form = dict(browser.cookies), _with(browser, code=mails[-1][1])
    browser.send(*form)

    again = SiteBrowser(browser.root, cookies=before)
    led = again.send(*form)

    assert led.headers["location"] == f"{browser.root}/sign-in?why=over"


def test_a_code_has_five_tries(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    code = mails[-1][1]
    for left in (4, 3, 2, 1):
        page = browser.press("/code", code=wrong(code))
        assert (page.status, f"Tries left: {left}." in page.words()) == (400, True)

    assert "Start again" in browser.press("/code", code=wrong(code)).words()
    assert of_kind("CUS") == []


def test_the_right_code_after_five_wrong_ones_is_too_late(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    code, form = mails[-1][1], _with(browser)
    for _ in range(5):
        browser.send(form[0], {**form[1], "code": wrong(code)})

    led = browser.send(form[0], {**form[1], "code": code})

    assert "why=over" in led.headers["location"]


def test_a_code_works_for_ten_minutes(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    form = _with(browser, code=mails[-1][1])
    later = clock.now_us() + 10 * MINUTE_MS * 1_000
    with clock.frozen(lambda: later):
        assert "why=over" in browser.send(*form).headers["location"]


def test_a_code_works_in_the_browser_that_asked_for_it_alone(
    browser: SiteBrowser, root: str, mails: Mails
) -> None:
    ask(browser)
    where, fields = _with(browser, code=mails[-1][1])
    other = SiteBrowser(root)
    other.open("/sign-in")
    _, own = other.form()

    led = other.send(where, {**fields, "csrf": own["csrf"]})

    assert "why=over" in led.headers["location"]


def test_a_code_of_one_organization_is_none_of_another(
    browser: SiteBrowser, mails: Mails, stranger: Client
) -> None:
    ask(browser)
    _, fields = _with(browser, code=mails[-1][1])
    slug = site.opened(stranger).slug
    other = SiteBrowser(f"https://support.example.com/site/{slug}", cookies=dict(browser.cookies))

    led = other.send("/sign-in/code", fields)

    assert led.headers["location"] == f"{other.root}/sign-in?why=over"


def test_a_code_and_its_handle_are_stored_as_hashes(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    _, fields = browser.form("/code")

    stored = str(everything())
    assert mails[-1][1] not in [str(value) for item in of_kind("CODE") for value in item.values()]
    assert fields["handle"] not in stored
    assert browser.cookies["__Secure-helpdesk-site"] not in stored


def test_a_known_and_an_unknown_address_get_the_same_page(root: str, mails: Mails) -> None:
    pages = []
    for email in ("ada@example.com", "ada@example.com", "bob@example.com"):
        browser = SiteBrowser(root)
        browser.open("/sign-in")
        page = browser.press(email=email)
        pages.append((page.status, re.sub(r'value="[^"]*"', "", page.text).replace(email, "")))
        browser.press(code=mails[-1][1])

    assert pages[0] == pages[1] == pages[2]


def test_an_address_gets_three_codes_at_once_and_then_the_same_page_without_a_mail(
    root: str, mails: Mails
) -> None:
    statuses = []
    for _ in range(5):
        browser = SiteBrowser(root)
        browser.open("/sign-in")
        statuses.append(browser.press(email="ada@example.com").status)

    assert statuses == [200] * 5
    assert len(mails) == codes.CODES_PER_EMAIL_AND_ADDRESS_BURST == 3


def test_a_network_address_asks_for_twenty_codes_at_once(root: str, mails: Mails) -> None:
    browser = SiteBrowser(root)
    statuses = []
    for number in range(codes.CODES_PER_ADDRESS_BURST + 1):
        browser.open("/sign-in")
        statuses.append(browser.press(email=f"ada{number}@example.com").status)

    assert statuses == [200] * 20 + [429]
    assert int(browser.page.headers["retry-after"]) > 0


def test_what_is_no_address_is_said(browser: SiteBrowser, mails: Mails) -> None:
    browser.open("/sign-in")

    page = browser.press(email="ada@")

    assert (page.status, "not an e-mail address" in page.words()) == (400, True)
    assert page.one("#email").attributes["value"] == "ada@"


def test_a_mail_that_is_refused_looks_as_sent_and_one_that_fails_is_said(
    browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MailRefused

    def fail(*_: object, **__: object) -> None:
        raise MailNotSent

    monkeypatch.setattr(mail, "send_site_code", refuse)
    browser.open("/sign-in")
    assert "Check your mail" in browser.press(email="ada@example.com").words()
    monkeypatch.setattr(mail, "send_site_code", fail)
    browser.open("/sign-in")
    page = browser.press(email="bob@example.com")
    assert (page.status, "Try again in a minute" in page.words()) == (503, True)


def test_the_page_says_at_every_attempt_that_mail_does_not_work_yet(
    browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MailNotAllowed

    monkeypatch.setattr(mail, "send_site_code", refuse)
    attempts = codes.CODES_PER_EMAIL_AND_ADDRESS_BURST + 2
    pages = []
    for _ in range(attempts):
        browser.open("/sign-in")
        pages.append(browser.press(email="ada@example.com"))

    assert [page.status for page in pages] == [503] * attempts
    for page in pages:
        assert "This help site can't send email yet, so no code was sent." in page.words()


@pytest.mark.parametrize(
    ("language", "accepted", "subject", "sentence"),
    [
        (
            None,
            "fr, en;q=0.5",
            "Votre code de connexion à Fern",
            "Il fonctionne une seule fois, pendant 10 minutes.",
        ),
        ("de", "fr", "Ihr Code zum Anmelden bei Fern", "Er gilt einmal, innerhalb von 10 Minuten."),
        (None, "", "Your code to sign in to Fern", "It works once, within 10 minutes."),
    ],
    ids=["the browser's", "the site's", "English"],
)
def test_the_mail_is_in_the_language_of_the_page(
    browser: SiteBrowser,
    api: Client,
    monkeypatch: pytest.MonkeyPatch,
    language: str | None,
    accepted: str,
    subject: str,
    sentence: str,
) -> None:
    assert api.patch("/v1/site", {"title": "Fern", "language": language}).status == 200
    browser.open("/sign-in")
    where, fields = browser.form()

    with post_office(monkeypatch) as taken:
        browser.send(where, {**fields, "email": "ada@example.com"}, accept_language=accepted)

    [mailed] = taken
    assert mailed.subject == subject
    assert sentence in mailed.text
    assert re.search(r"\n[0-9]{6}\n", mailed.text)
    assert f'lang="{language or accepted[:2] or "en"}"' in mailed.html


def test_a_form_without_this_browsers_token_is_refused(browser: SiteBrowser, mails: Mails) -> None:
    browser.open("/sign-in")
    where, fields = browser.form()
    sent = {**fields, "email": "ada@example.com"}

    assert browser.send(where, {**sent, "csrf": "0" * 64}).status == 403
    assert browser.send(where, sent, **{"sec-fetch-site": "cross-site"}).status == 403
    assert browser.send(where, sent, **{"sec-fetch-site": "", "origin": "https://evil.example"}).status == 403
    assert mails == []


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example/",
        "/\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "..%2f..%2fother",
        "../other",
        "%2e%2e/other",
        "a/../../other",
        "\nSet-Cookie: a=b",
        "x" * 601,
        "articles/%ff",
        "%252e%252e/other",
        "articles/a\u2044\u2044b",
        "articles/\u202emoc",
        "@evil.example",
    ],
)
def test_a_sign_in_leads_to_paths_of_its_own_site_alone(browser: SiteBrowser, mails: Mails, to: str) -> None:
    browser.open("/sign-in")
    browser.press(email="ada@example.com", to=to)
    led = browser.send(*_with(browser, code=mails[-1][1], to=to))

    assert (led.status, led.headers["location"]) == (303, f"{browser.root}/")


def test_signing_out_needs_the_form_and_ends_the_session(browser: SiteBrowser, mails: Mails) -> None:
    ask(browser)
    browser.press(code=mails[-1][1])
    kept = SiteBrowser(browser.root, cookies=dict(browser.cookies))
    browser.open("/sign-in")
    assert kept.send("/sign-in/out", {"csrf": "0" * 64}).status == 403

    led = browser.send(*_with(browser, "/out"))

    assert led.headers["location"] == f"{browser.root}/"
    assert kept.open("/sign-in").html.css_first("#email") is not None
    assert len(of_kind("SESSION")) == 2  # the one in which they write, and one that is over


def test_the_calls_of_a_sign_in_by_mail(browser: SiteBrowser, mails: Mails) -> None:
    browser.open("/")
    with recorded_calls() as calls:
        browser.open("/sign-in")
    assert [each.removeprefix("dynamodb:") for each in calls] == ["BatchGetItem"]
    with recorded_calls() as calls:
        browser.press(email="ada@example.com")
    # the site with the settings; buckets of the network address for all pages, for this site and for all sites, the
    # organization, all, the address from here and from everywhere; the code
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem",
        *["UpdateItem"] * 7,
        "PutItem",
    ]
    with recorded_calls() as calls:
        browser.send(*_with(browser, code=mails[-1][1]))
    # the site, the bucket, the try, who has the address, the customer, what the browser wrote, the session
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem",
        "UpdateItem",
        "UpdateItem",
        "BatchGetItem",
        "TransactWriteItems",
        "GetItem",
        "TransactWriteItems",
    ]


def test_the_pages_of_sign_in_have_no_style_of_the_organization_and_are_not_kept(
    browser: SiteBrowser,
) -> None:
    page = browser.open("/sign-in")

    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "script" not in page.headers["content-security-policy"]
    [style] = page.html.css("link[rel=stylesheet]")
    assert "/assets/paper." in str(style.attributes["href"])


def test_a_site_that_is_not_there_has_no_sign_in(root: str) -> None:
    assert SiteBrowser("https://support.example.com/site/nowhere").open("/sign-in").status == 404
