"""Who wrote what to whom, read from headers that come from anyone."""

import pytest

from helpdesk.inbound_mail.parsing import MAX_REFERENCES, MAX_SENT_TO, MAX_SUBJECT_CHARACTERS, parse
from tests.unit.inbound_mail.mails import mail


@pytest.mark.parametrize(
    ("header", "address", "name"),
    [
        ("Ada <Ada@Example.com>", "ada@example.com", "Ada"),
        ("ada@example.com", "ada@example.com", None),
        ("ada@example.com (Ada)", "ada@example.com", "Ada"),
        ('"Lovelace, Ada" <ada@example.com>', "ada@example.com", "Lovelace, Ada"),
        ("Lovelace, Ada <ada@example.com>", "ada@example.com", "Lovelace, Ada"),
        ("=?utf-8?q?Ad=C3=A4?= <ada@example.com>", "ada@example.com", "Adä"),
        ("=?utf-8?q?Lovelace,_Ada?= <ada@example.com>", "ada@example.com", "Lovelace, Ada"),
        ("=?x-none?q?Ada?= <ada@example.com>", "ada@example.com", "Ada"),
        ("Adä <ada@example.com>", "ada@example.com", "Adä"),
        ("=?utf-8?b?not base64?= <ada@example.com>", "ada@example.com", "=?utf-8?b?not base64?="),
        ("boss@victim.com <ada@example.com>", "ada@example.com", "boss@victim.com"),
        ("=?utf-8?q?Ada=0D=0ABcc:_x?= <ada@example.com>", "ada@example.com", "Ada Bcc: x"),
        ("=?utf-8?b?QWRhIOKArmVpbA==?= <ada@example.com>", "ada@example.com", "Ada eil"),
        ("Ada", "", None),
        ("<>", "", None),
        ("", "", None),
        ("(((((((((((" * 5_000, "", None),
    ],
)
def test_the_sender_is_the_one_address_of_from(header: str, address: str, name: str | None) -> None:
    read = parse(mail(From=header))
    assert (read.sender, read.sender_name) == (address, name)


@pytest.mark.parametrize("header", ["a@example.com, b@example.com", "A <a@example.com>, B <b@example.com>"])
def test_two_senders_are_none(header: str) -> None:
    assert parse(mail(From=header)).sender == ""


def test_a_second_from_is_not_read_instead_of_the_first() -> None:
    assert parse(b"From: a@example.com\r\nFrom: b@example.com\r\n\r\nHello").sender == ""


def test_a_sender_name_has_at_most_80_characters() -> None:
    assert parse(mail(From=f"{'a' * 100} <ada@example.com>")).sender_name == "a" * 80


def test_reply_to_is_none_if_it_is_the_sender() -> None:
    assert parse(mail(Reply_To="ADA@example.com")).reply_to is None


def test_reply_to_is_its_address() -> None:
    assert parse(mail(Reply_To="Other <Other@example.com>")).reply_to == "other@example.com"


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        ("Help", "Help"),
        ("=?iso-8859-1?q?Gr=FC=DFe?= =?utf-8?b?IPCfmIA=?=", "Grüße 😀"),
        ("Help\r\n me\r\n\tplease", "Help me please"),
        ("=?utf-8?q?Help=0D=0ABcc:_all?=", "Help Bcc: all"),
        ("Help \N{RIGHT-TO-LEFT OVERRIDE}gpj.exe", "Help gpj.exe"),
        ("=?gb2312?b?1tDOxA==?=", "中文"),
        ("=?gb2312?b?5L2g5aW9?=", "你好"),
        ("=?ks_c_5601-1987?b?x9GxuQ==?=", "한국"),
        ("=?iso-8859-8-i?b?+ezl7Q==?=", "שלום"),
        ("=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?cp-850?q?=81?=", "ü"),
        ("=?utf-8?q?=C3=A4?= ö =?x", "ä ö =?x"),
        ("=?utf-7?q?+ADw-b+AD4-?=", "+ADw-b+AD4-"),
        ("=?" * 20_000, "=?" * (MAX_SUBJECT_CHARACTERS // 2)),
        ("a" * 300, "a" * MAX_SUBJECT_CHARACTERS),
        ("", ""),
    ],
)
def test_a_subject_is_one_decoded_line(header: str, subject: str) -> None:
    assert parse(mail(subject=header)).subject == subject


def test_bytes_of_a_header_without_a_charset_are_windows_1252_unless_they_are_utf_8() -> None:
    assert parse(b"Subject: Gr\xfc\xdfe\n\n").subject == "Grüße"


@pytest.mark.parametrize(
    ("header", "message_id"),
    [
        ("<a@b>", "a@b"),
        ("a@b", ""),
        ("<a b@c>", ""),
        (f"<{'a' * 501}>", ""),
        (f"<{'a' * 500}>", "a" * 500),
        ("", ""),
    ],
)
def test_a_message_id_is_what_is_between_angles(header: str, message_id: str) -> None:
    assert parse(mail(Message_ID=header)).message_id == message_id


def test_references_are_the_newest_first() -> None:
    read = parse(mail(In_Reply_To="<3@x>", References="<1@x> <2@x>\r\n <3@x>"))
    assert read.references == ("3@x", "2@x", "1@x")


def test_at_most_50_references_are_read() -> None:
    read = parse(mail(References=" ".join(f"<{n}@x>" for n in range(60))))
    assert (len(read.references), read.references[0]) == (MAX_REFERENCES, "59@x")


def test_recipients_are_those_of_to_and_cc_once_each() -> None:
    read = parse(mail(To="A <a@x.com>, b@x.com", Cc="Team: c@x.com, A@x.com;"))
    assert read.sent_to == ("a@x.com", "b@x.com", "c@x.com")


def test_the_first_50_of_1000_recipients_are_kept() -> None:
    read = parse(mail(To=", ".join(f"Person {n} <p{n}@example.com>" for n in range(1_000))))
    assert (len(read.sent_to), read.sent_to[49]) == (MAX_SENT_TO, "p49@example.com")


def test_a_header_of_a_megabyte_is_read_at_its_beginning() -> None:
    assert parse(mail(To="a@example.com, " + "x" * 1_000_000)).sent_to == ("a@example.com",)


PERSON = {
    "X_Priority": "1 (Highest)",
    "Importance": "high",
    "List_Unsubscribe": "<https://signatures.example.com/out>",
    "Feedback_ID": "1:2:3:gmail",
    "Auto_Submitted": "no",
    "Precedence": "first-class",
    "X_Auto_Response_Suppress": "DR, RN, NRN",
    "Return_Path": "<ada@example.com>",
    "Reply_To": "noreply@example.com",
    "Content_Language": "de",
    "Disposition_Notification_To": "ada@example.com",
}


@pytest.mark.parametrize("name", PERSON)
def test_a_header_of_a_persons_mail_does_not_make_it_automatic(name: str) -> None:
    assert not parse(mail(**{name: PERSON[name]})).is_automatic


AUTOMATIC = [
    ("Auto_Submitted", "auto-replied"),
    ("Auto_Submitted", "auto-generated; type=x"),
    ("Precedence", "bulk"),
    ("Precedence", "List"),
    ("Precedence", "junk"),
    ("Precedence", "auto_reply"),
    ("X_Autoreply", "yes"),
    ("X_Autorespond", "Re: Help"),
    ("X_Auto_Response_Suppress", "All"),
    ("X_Auto_Response_Suppress", "DR, OOF, AutoReply"),
    ("List_Id", "<list.example.com>"),
    ("Return_Path", "<>"),
    ("From", "MAILER-DAEMON@example.com"),
    ("From", "postmaster@example.com"),
    ("From", "no-reply@example.com"),
    ("From", "NoReply+7@example.com"),
    ("From", "do-not-reply@example.com"),
    ("From", "donotreply@example.com"),
]


@pytest.mark.parametrize(("name", "value"), AUTOMATIC)
def test_a_header_of_a_program_makes_a_mail_automatic(name: str, value: str) -> None:
    assert parse(mail(**{name: value})).is_automatic


def test_a_report_is_automatic() -> None:
    assert parse(mail(content_type="multipart/report; boundary=b")).is_automatic


@pytest.mark.parametrize(
    "sender", ["noreplyson@example.com", "postmasters@example.com", "ada.noreply@example.com"]
)
def test_a_name_that_resembles_a_programs_is_a_persons(sender: str) -> None:
    assert not parse(mail(From=sender)).is_automatic


def test_a_persons_mail_that_a_google_group_passes_on_is_not_automatic() -> None:
    headers = {"X_Google_Group_Id": "1", "Precedence": "list", "List_ID": "<support.example.com>"}
    assert not parse(mail(**headers)).is_automatic


def test_an_automatic_mail_that_a_google_group_passes_on_is_automatic() -> None:
    headers = {"X_Google_Group_Id": "1", "Precedence": "list", "Auto_Submitted": "auto-replied"}
    assert parse(mail(**headers)).is_automatic


@pytest.mark.parametrize(
    "raw",
    [
        b'From: "ada@example.com"@evil.example',
        b"From: ada@example.com@evil.example",
        b"From: ada@example.com\0@evil.example",
        b"From: ada@example.co m",
        b"From: mallory@evil.example <ada@example.com>",
        b"From: Group: mallory@evil.example; <ada@example.com>",
        b"From: <@evil.example:ada@example.com>",
        b'From: (" ) <mallory@evil.example> (") <ada@example.com>',
        b'From: \\" <mallory@evil.example> " <ada@example.com>',
        b"From: mallory@evil.example\nFrom: ada@example.com",
        b"To: x@example.com\nFrom : mallory@evil.example\nFrom: ada@example.com",
        b"From: ada@example.com\nno header\nFrom: mallory@evil.example",
    ],
)
def test_a_sender_in_whose_place_another_program_reads_another_one_is_not_certain(raw: bytes) -> None:
    assert not parse(raw + b"\n\nHello").is_sender_certain


@pytest.mark.parametrize(
    "header",
    [
        "Ada@Example.com",
        "ada@example.com (Ada)",
        "Ada (Sales) <ada@example.com>",
        "Lovelace, Ada <ada@example.com>",
        '"Lovelace, Ada (Sales)" <ada@example.com>',
        '"Ada \\"Countess\\"" <ada@example.com>',
        '"ada@example.com" <ada@example.com>',
        "ada@example.com <ada@example.com>",
        "=?utf-8?q?Ad=C3=A4?= <ada@example.com>",
    ],
)
def test_a_sender_whom_every_program_reads_is_certain(header: str) -> None:
    assert parse(mail(From=header)).is_sender_certain
