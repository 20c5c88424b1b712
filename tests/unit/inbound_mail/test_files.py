"""The files of a mail, and what is named and not kept."""

import base64

import pytest

from helpdesk.conversations.errors import MAX_ATTACHMENTS
from helpdesk.inbound_mail import parsing, parts
from helpdesk.inbound_mail.parsing import MailFile, parse
from tests.unit.inbound_mail.mails import nest, part_of

TEXT = "Content-Type: text/plain\n\nHello\n"
PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def file(name: str = "a.pdf", kind: str = "application/pdf", content: str = "abc", **headers: str) -> str:
    others = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in headers.items())
    return f'Content-Type: {kind}\nContent-Disposition: attachment; filename="{name}"\n{others}\n{content}\n'


def kept(*files: str | bytes) -> list[MailFile]:
    return list(parse(nest("mixed", TEXT, *files)).attachments)


def left_out(*files: str | bytes) -> tuple[str, ...]:
    return parse(nest("mixed", TEXT, *files)).left_out


def test_files_are_kept_in_their_order() -> None:
    first = file("b.png", "image/png", "cGlj", Content_Transfer_Encoding="base64")
    assert kept(first, file("a.pdf", "application/pdf", "abc")) == [
        MailFile(name="b.png", type="image/png", content=b"pic", is_inline=False),
        MailFile(name="a.pdf", type="application/pdf", content=b"abc", is_inline=False),
    ]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ('filename="../../etc/passwd"', "passwd"),
        ('filename="C:\\\\Users\\\\a.txt"', "a.txt"),
        ("filename*=utf-8''Gr%C3%BC%C3%9Fe.txt", "Grüße.txt"),
        ("filename*=x-none''a.txt", "a.txt"),
        ('filename*0="a"; filename*1="b.txt"', "ab.txt"),
        ('filename="=?utf-8?q?Gr=C3=BC=C3=9Fe.txt?="', "Grüße.txt"),
        ('filename="a\N{RIGHT-TO-LEFT OVERRIDE}txt.exe"', "atxt.exe"),
        (f'filename="{"a" * 300}"', "a" * 200),
        ('filename=".."', "application.pdf"),
        ("", "application.pdf"),
    ],
)
def test_a_file_name_is_one_safe_line(parameters: str, name: str) -> None:
    part = f"Content-Type: application/pdf\nContent-Disposition: attachment; {parameters}\n\nabc\n"
    assert [each.name for each in kept(part)] == [name]


def test_a_type_that_is_none_is_that_of_any_bytes() -> None:
    assert [each.type for each in kept(file(kind="what is/this"))] == ["application/octet-stream"]


def test_a_text_with_a_name_is_a_file() -> None:
    part = "Content-Type: text/plain; name=a.txt\nContent-Disposition: inline; filename=a.txt\n\nabc\n"
    read = parse(nest("mixed", TEXT, part))
    assert (read.text, [each.name for each in read.attachments]) == ("Hello", ["a.txt"])


def test_a_mail_that_is_attached_is_a_file_and_not_text() -> None:
    inner = "Content-Type: message/rfc822\n\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe/x?=\n\nInner\n"
    read = parse(nest("mixed", TEXT, inner))
    assert (read.text, [(each.name, each.type) for each in read.attachments]) == (
        "Hello",
        [("Grüße x.eml", "message/rfc822")],
    )
    assert read.attachments[0].content.endswith(b"\n\nInner")


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (file("winmail.dat", "application/ms-tnef"), "winmail.dat (a file in Outlook's own format)"),
        (file("winmail.dat", "application/octet-stream"), "winmail.dat (a file in Outlook's own format)"),
        ("Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n", "a calendar invitation"),
        (file("invite.ics", "application/ics"), "invite.ics (a calendar invitation)"),
        (part_of("encrypted", "Content-Type: application/pgp-encrypted\n\nx\n"), "an encrypted part (PGP)"),
        (file("sign.asc", "application/pgp-signature"), "sign.asc (a PGP signature)"),
        (file("smime.p7m", "application/pkcs7-mime"), "smime.p7m (encrypted or signed with S/MIME)"),
        (file("smime.p7s", "application/x-pkcs7-signature"), "smime.p7s (an S/MIME signature)"),
        ("Content-Type: message/delivery-status\n\nStatus: 5.0.0\n", "a delivery report"),
        (file("a.html", "text/html", "<p>"), "a.html (3 bytes, a type that can't be attached)"),
        (file("a.png", "image/svg+xml", "x" * 2_000), "a.png (2 KB, a type that can't be attached)"),
        (file("a.bin", "application/x", "<html>"), "a.bin (6 bytes, a type that can't be attached)"),
        (file("a.pdf", content=""), "a.pdf (empty)"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_not_kept_is_named(part: str | bytes, sentence: str) -> None:
    assert left_out(part) == (sentence,)
    assert kept(part) == []


def test_a_file_that_is_too_big_is_named_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MAX_FILE_BYTES", 2_000)
    assert left_out(file("a.pdf", content="x" * 3_000)) == ("a.pdf (3 KB, more than 2 KB)",)


def test_an_archive_is_kept_as_it_is() -> None:
    bomb = (
        b"Content-Type: application/zip\nContent-Disposition: attachment; filename=a.zip\n\nPK\x03\x04 bomb\n"
    )
    assert [each.content for each in kept(bomb)] == [b"PK\x03\x04 bomb"]


def test_files_after_the_sixth_are_named() -> None:
    files = [file(f"{n}.pdf") for n in range(MAX_ATTACHMENTS + 1)]
    assert len(kept(*files)) == MAX_ATTACHMENTS
    assert left_out(*files) == ("6.pdf (3 bytes, more than 6 files)",)


def test_parts_after_the_fiftieth_are_counted() -> None:
    assert left_out(*[TEXT] * (parts.MAX_PARTS + 2)) == ("3 more parts",)


def test_parts_nested_more_than_20_levels_are_named() -> None:
    part: bytes = TEXT.encode()
    for _ in range(parts.MAX_LEVELS):
        part = part_of("mixed", part)
    read = parse(nest("mixed", TEXT, part))
    assert (read.text, read.left_out) == ("Hello", ("parts nested more than 20 levels deep",))


def test_of_a_mail_of_more_than_25_megabytes_only_the_headers_are_read() -> None:
    read = parse(nest("mixed", TEXT) + b"x" * parsing.MAX_MAIL_BYTES)
    assert (read.sender, read.text) == ("ada@example.com", "")
    assert read.left_out == ("the text and the files (25 MB, more than 25 MB)",)


def test_of_a_mail_of_too_many_lines_only_the_headers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MAX_LINES", 1_000)
    read = parse(nest("mixed", TEXT) + b"\n" * 1_001)
    assert read.left_out == ("the text and the files (too many lines)",)


def test_of_a_mail_of_many_boundaries_and_lines_only_the_headers_are_read() -> None:
    read = parse(nest("mixed", TEXT) + b"boundary\n" * 10_000)
    assert read.left_out == ("the text and the files (too many lines)",)


def test_mails_in_mails_a_thousand_deep_are_read() -> None:
    read = parse(b"Subject: Help\n" + b"Content-Type: message/rfc822\n\n" * 5_000)
    assert read.subject == "Help"


def picture(cid: str, *, content: bytes = b"\x89PNG", disposition: str = "inline") -> bytes:
    head = f"Content-Type: image/png; name={cid}.png\nContent-ID: <{cid}>\nContent-Disposition: {disposition}\n\n"
    return head.encode() + content + b"\n"


def test_pictures_in_the_text_are_kept_and_those_in_what_is_quoted_are_not() -> None:
    text = (
        "Content-Type: text/html\n\n<p>See <img src='cid:one' alt='one'></p><div class='gmail_signature'>"
        "<img src='cid:logo'></div><blockquote type=cite><img src='cid:old'></blockquote>\n"
    )
    read = parse(nest("related", text, picture("one"), picture("old"), picture("logo"), picture("none")))
    assert read.text == "See [image: one]"
    assert [(each.name, each.is_inline) for each in read.attachments] == [
        ("one.png", True),
        ("none.png", True),
    ]


def test_pictures_in_html_are_kept_beside_plain_text() -> None:
    both = part_of("alternative", TEXT, "Content-Type: text/html\n\n<p>Hello <img src='cid:one'></p>\n")
    read = parse(nest("related", both, picture("one", disposition="attachment")))
    assert [(each.name, each.is_inline) for each in read.attachments] == [("one.png", True)]


def test_a_picture_of_one_pixel_is_dropped() -> None:
    assert kept(picture("a", content=PIXEL)) == []
