"""The text of a mail: its alternatives, charsets and lines, and what of HTML a reader sees."""

import pytest

from helpdesk.inbound_mail import html_text
from helpdesk.inbound_mail.html_text import MAX_HTML_CHARACTERS, MAX_NESTED, as_text
from helpdesk.inbound_mail.parsing import parse
from helpdesk.inbound_mail.parts import MAX_TEXT_CHARACTERS
from tests.unit.inbound_mail.mails import html, mail, nest, part_of

PLAIN = "Content-Type: text/plain\n\nHello in plain text\n"
HTML = "Content-Type: text/html\n\n<p>Hello in HTML</p>\n"
EMPTY = "Content-Type: text/plain\n\n \n"


def test_plain_text_is_preferred() -> None:
    assert parse(nest("alternative", PLAIN, HTML)).text == "Hello in plain text"


def test_html_is_read_if_the_plain_text_says_nothing() -> None:
    assert parse(nest("alternative", EMPTY, HTML)).text == "Hello in HTML"


def test_html_is_read_if_the_plain_text_only_says_that_there_is_html() -> None:
    notice = "Content-Type: text/plain\n\nThis is an HTML message. Please use an HTML capable mail program.\n"
    assert parse(nest("alternative", notice, HTML)).text == "Hello in HTML"


def test_html_is_read_in_a_nest_of_related_and_mixed() -> None:
    related = part_of("related", HTML, "Content-Type: image/png\nContent-ID: <a>\n\nx\n")
    assert (
        parse(nest("mixed", part_of("alternative", related), PLAIN)).text
        == "Hello in HTML\n\nHello in plain text"
    )


def test_texts_around_a_picture_are_one_text() -> None:
    picture = "Content-Type: image/png; name=a.png\nContent-Disposition: inline; filename=a.png\n\nx\n"
    assert (
        parse(nest("mixed", PLAIN, picture, "Content-Type: text/plain\n\nBye\n")).text
        == "Hello in plain text\n\nBye"
    )


def test_multipart_without_a_boundary_is_text() -> None:
    assert parse(b"Content-Type: multipart/mixed\n\nHello").text == "Hello"


def test_an_empty_mail_has_no_text() -> None:
    assert parse(b"").text == ""


@pytest.mark.parametrize(
    ("charset", "content", "text"),
    [
        ("utf8", "Grüße".encode(), "Grüße"),
        ("iso-8859-1", b"Gr\xfc\xdfe \x80", "Grüße €"),
        ("us-ascii", "Grüße".encode(), "Grüße"),
        ("cp-850", b"\x81", "ü"),
        ("x-unknown", b"Gr\xfc\xdfe", "Grüße"),
        ("iso-8859-8-i", b"\xf9\xec\xe5\xed", "שלום"),
        ("ks_c_5601-1987", b"\xc7\xd1\xb1\xb9", "한국"),
        ("gb2312", "镕".encode("gbk"), "镕"),
        ("iso-2022-kr", "한국".encode("iso2022_kr"), "한국"),
        ("utf-8", b"Gr\xfc\xdfe", "Grüße"),
        ("utf-8", "Grüße, ".encode() * 20 + b"\xff", "Grüße, " * 20 + "\N{REPLACEMENT CHARACTER}"),
        ("gb2312", "你好".encode(), "你好"),
        ("gb2312", "谢谢".encode("gbk"), "谢谢"),
        ("koi8-r", "Привет".encode(), "Привет"),
        ("iso-2022-jp", "日本".encode("iso2022_jp"), "日本"),
        ("utf-7", b"+ADw-b+AD4-", "+ADw-b+AD4-"),
        ("rot13", b"Hello", "Hello"),
    ],
)
def test_bytes_are_read_in_the_charset_that_is_meant(charset: str, content: bytes, text: str) -> None:
    assert parse(f"Content-Type: text/plain; charset={charset}\n\n".encode() + content).text == text


@pytest.mark.parametrize("charset", [b"us\xff", b"us\0ascii", b'"', b""])
def test_a_charset_that_is_no_name_leaves_the_text(charset: bytes) -> None:
    assert parse(b"Content-Type: text/plain; charset=" + charset + b"\n\nGr\xc3\xbc\xc3\x9fe").text == "Grüße"


def test_undeclared_bytes_are_utf_8_or_windows_1252() -> None:
    assert [parse(b"\n" + text).text for text in ("ä".encode(), b"\xe4")] == ["ä", "ä"]


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "x-uuencode", "none"])
def test_a_wrong_transfer_encoding_leaves_the_text(encoding: str) -> None:
    assert (
        "Hello" in parse(f"Content-Transfer-Encoding: {encoding}\n\nHello, all!".encode()).text
        or encoding == "base64"
    )


def test_flowed_lines_are_joined() -> None:
    text = "One line \nof two \nends.\n> quoted \n> line\n\nAnswer\n-- \nAda"
    assert (
        parse(mail(text, content_type="text/plain; format=flowed")).text
        == "One line of two ends.\n> quoted line\n\nAnswer"
    )


def test_flowed_lines_lose_their_space_with_delsp() -> None:
    assert (
        parse(mail("日 \n本", content_type="text/plain; charset=utf-8; format=flowed; delsp=yes")).text
        == "日本"
    )


def test_what_html_hides_is_not_read() -> None:
    hidden = (
        "<style>p{}</style><script>x()</script><div style='display: none'>Preheader</div>"
        "<span style='font-size:0px'>Zero</span><p hidden>Hidden</p><!-- Comment -->"
    )
    assert html(f"{hidden}<p>Seen</p>").text == "Seen"


def test_a_link_is_its_text_and_its_address() -> None:
    assert (
        html("See <a href='https://example.com/a'>the page</a>.").text
        == "See the page (https://example.com/a)."
    )


@pytest.mark.parametrize(
    ("href", "text"),
    [
        ("https://www.example.com/", "example.com"),
        ("mailto:ada@example.com?subject=x", "ada@example.com"),
        ("javascript:alert(1)", "click"),
        ("#top", "top"),
    ],
)
def test_an_address_is_left_out_if_the_text_says_it_or_it_leads_nowhere(href: str, text: str) -> None:
    assert html(f"<a href='{href}'>{text}</a>").text == text


def test_an_address_that_differs_from_the_text_is_shown() -> None:
    assert html("<a href='https://evil.example/'>https://bank.example/</a>").text == (
        "https://bank.example/ (https://evil.example/)"
    )


def test_a_picture_is_its_alternative_text_and_never_its_address() -> None:
    text = html(
        "<p>a<img src='https://evil.example/x.png'><img src='https://evil.example/y.png' alt='A cat'></p>"
    ).text
    assert text == "a[image: A cat]"


def test_a_picture_that_reports_the_reading_is_nothing() -> None:
    assert html("<p>a<img src='https://evil.example/' alt='open' width=1 height=1></p>").text == "a"


def test_lists_tables_and_lines_of_html_stay_apart() -> None:
    source = "<ul><li>One<li>Two</ul><ol><li>First</ol><table><tr><td>a<td>b<tr><td>c</table>x<br>y<pre>p\n  q</pre>"
    assert html(source).text == "- One\n- Two\n\n1. First\n\na b\nc\n\nx\ny\n\np\n  q"


def test_text_of_elements_nested_too_deep_is_read() -> None:
    assert as_text("<div>" * 20_000 + "deep" + "</div>" * 20_000 + "after") == "deep\nafter"


def test_elements_are_nested_up_to_the_limit() -> None:
    assert as_text("<p>a" + "<div>" * MAX_NESTED + "b" + "<div>c" * 10) == "a\n\nbcccccccccc"


def test_html_is_read_up_to_the_limit_of_its_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_text, "MAX_TAGS", 20)
    read = html("<p>a</p>" + "<br>" * 20 + "b")
    assert (read.text, read.left_out) == ("a", ("the end of a very long HTML text",))


def test_html_of_five_megabytes_is_read_at_its_beginning() -> None:
    assert as_text("<p>a</p>" + " " * 5_000_000 + "<p>b</p>") == "a"


def test_pictures_that_are_written_into_html_do_not_count_against_its_limit() -> None:
    assert as_text(f"<p>a<img src='data:image/png;base64,{'A' * MAX_HTML_CHARACTERS}'>b</p>") == "ab"


def test_elements_of_letters_that_stay_open_are_not_repeated_in_each_paragraph() -> None:
    # A parser would make 400 elements for each of 5,000 paragraphs.
    letters = "".join(f"<b class='{number}'>" for number in range(MAX_NESTED))
    assert as_text(letters + "<p>x" * 5_000).count("x") == 5_000


def test_text_after_the_first_200000_characters_is_named() -> None:
    read = parse(mail("word " * (MAX_TEXT_CHARACTERS // 5 + 1)))
    assert (len(read.text), read.left_out) == (
        MAX_TEXT_CHARACTERS - 1,
        ("the text after its first 200,000 characters",),
    )


def test_a_text_signed_with_pgp_is_read_without_its_armor() -> None:
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHello\n- -- dash\n"
        "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
    )
    read = parse(mail(text))
    assert (read.text, read.left_out) == ("Hello\n-- dash", ("a PGP signature",))


def test_a_text_encrypted_with_pgp_is_named_and_stays() -> None:
    text = "-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----"
    read = parse(mail(text))
    assert (read.text, read.left_out) == (text, ("an encrypted text (PGP)",))
