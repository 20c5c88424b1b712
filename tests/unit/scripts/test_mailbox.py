"""The mail of a local stack: what comes in over SMTP, what the page shows and sends, and threads."""

import json
import re
import smtplib
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest

from helpdesk.inbound_mail import notices
from helpdesk.inbound_mail.notices import Bounced, Complained, Received, Verdict
from helpdesk.mail.sender import MailTags
from scripts.mailbox import files, page, smtp, threads
from scripts.mailbox.console import SignIn
from scripts.mailbox.page import Mailbox
from scripts.mailbox.ses import Place, Ses
from tests.e2e.own_stack import free_port

HOST = "127.0.0.1"
TAGS = [{"Name": name, "Value": f"{name[:3]}_1"} for name in ("organization", "conversation", "message")]


class Aws:
    """The bucket and the topic, as a list of what was put there."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}
        self.published: list[str] = []
        self.s3 = SimpleNamespace(put_object=lambda Bucket, Key, Body: self.stored.update({Key: Body}))
        self.sns = SimpleNamespace(publish=lambda TopicArn, Message: self.published.append(Message))

    def said(self) -> notices.Notice | None:
        """Return the last notice as the service reads it."""
        return notices.read(self.published[-1])


@pytest.fixture
def aws() -> Aws:
    return Aws()


@pytest.fixture
def ses(aws: Aws) -> Ses:
    return Ses(Place("arn:aws:sns:us-east-1:000000000000:topic", "files", "mail.localhost"), aws.s3, aws.sns)


@pytest.fixture
def server(ses: Ses, tmp_path: Path) -> Iterator[int]:
    """The port of a listener for SMTP."""
    port = free_port()
    listener = smtp.listener(HOST, port, ses, tmp_path)
    listener.start()
    yield port
    listener.stop()


@pytest.fixture
def mailbox(ses: Ses, tmp_path: Path, server: int) -> Mailbox:
    console = SignIn("http://127.0.0.1:4566/helpdesk", {"owner": "usr_1"})
    return Mailbox(ses, tmp_path, (HOST, server), "demo@mail.localhost", console)


def mail(to: str = "demo@mail.localhost", **headers: str) -> EmailMessage:
    written = EmailMessage()
    for name, value in {"From": "grace@example.com", "To": to, "Subject": "Parcel", **headers}.items():
        written[name.replace("_", "-")] = value
    written.set_content("Where is it?")
    return written


def send(port: int, *mails: EmailMessage) -> None:
    with smtplib.SMTP(HOST, port, timeout=10) as client:
        for each in mails:
            client.send_message(each)


def sent(folder: Path, subject: str = "A message from Demo", **content: Any) -> None:
    """Keep a mail that the service sent."""
    body = {"Text": {"Data": "It is **here**."}, "Html": {"Data": "<p>It is <b>here</b>.</p>"}}
    simple = {
        "Subject": {"Data": subject},
        "Body": body,
        "Headers": [{"Name": "References", "Value": "<conv_1@example.com>"}],
        **content,
    }
    request = {
        "FromEmailAddress": "helpdesk@example.com",
        "Destination": {"ToAddresses": ["grace@example.com"]},
        "ReplyToAddresses": ["r+token@mail.localhost"],
        "Content": {"Simple": simple},
        "EmailTags": TAGS,
        "MessageId": f"{len(list(folder.glob('*')))}@email.amazonses.com",
    }
    files.keep_sent(folder, request)


def text(answer: page.Answer) -> str:
    return answer.body.decode()


# ---- over SMTP ---------------------------------------------------------------------------------------------------


def test_a_mail_is_stored_and_its_notice_published_as_ses_does(server: int, aws: Aws) -> None:
    send(server, mail())

    said = aws.said()
    assert isinstance(said, Received)
    assert said.recipients == ("demo@mail.localhost",)
    assert said.envelope_sender == "grace@example.com"
    assert said.object_key == f"inbound/{said.message_id}"
    assert {said.spf, said.dkim, said.dmarc, said.spam, said.virus} == {Verdict.PASS}
    stored = aws.stored[said.object_key]
    assert stored.startswith(b"Return-Path: <grace@example.com>\r\nReceived: ")
    assert b"\r\nSubject: Parcel\r\n" in stored


def test_a_header_states_other_verdicts_and_is_removed(server: int, aws: Aws) -> None:
    send(server, mail(X_Local_Verdicts="dmarc=FAIL spf=GRAY"))

    said = aws.said()
    assert isinstance(said, Received)
    assert (said.dmarc, said.spf, said.dkim) == (Verdict.FAIL, Verdict.GRAY, Verdict.PASS)
    assert b"local-verdicts" not in aws.stored[said.object_key].lower()


@pytest.mark.parametrize("stated", ["dmarc=MAYBE", "arc=PASS", "dmarc"])
def test_a_verdict_that_ses_has_not_is_refused(server: int, aws: Aws, stated: str) -> None:
    with pytest.raises(smtplib.SMTPDataError, match="write spf"):
        send(server, mail(X_Local_Verdicts=stated))
    assert aws.stored == {}


def test_mail_to_another_domain_is_refused(server: int, aws: Aws) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused, match="550"):
        send(server, mail("grace@example.com"))
    assert aws.published == []


def test_a_mail_larger_than_ses_receives_is_refused(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert smtp.MAX_BYTES == 41_943_040
    with smtplib.SMTP(HOST, server, timeout=10) as client:
        client.ehlo()
        assert client.esmtp_features["size"] == "41943040"
        code, _ = client.docmd("MAIL", "FROM:<grace@example.com> SIZE=41943041")
    assert code == 552


# ---- threads -----------------------------------------------------------------------------------------------------


def shown(folder: Path) -> list[threads.Thread]:
    return threads.threads(threads.read(file) for file in files.newest(folder, 100))


def test_mails_with_a_common_reference_and_subject_are_one_thread(tmp_path: Path) -> None:
    sent(tmp_path)
    sent(tmp_path, "Re: A message from Demo")

    assert [len(thread.mails) for thread in shown(tmp_path)] == [2]


def test_another_subject_is_another_thread_as_in_gmail(tmp_path: Path) -> None:
    sent(tmp_path)
    sent(tmp_path, "Another message")

    assert [len(thread.mails) for thread in shown(tmp_path)] == [1, 1]


def test_the_same_subject_without_a_reference_is_another_thread(tmp_path: Path) -> None:
    sent(tmp_path)
    sent(tmp_path, Headers=[])

    assert [len(thread.mails) for thread in shown(tmp_path)] == [1, 1]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no header at all",
        b"From: \xff\xfe\r\nSubject: =?x?q?=\r\n\r\n\x80",
        b"Content-Type: text/plain; charset=x-none\r\n\r\nhi",
    ],
)
def test_any_bytes_are_a_mail(raw: bytes) -> None:
    read = threads.read(files.MailFile("1", 0.0, None, raw))

    assert isinstance(read.subject + read.sender + read.text, str)


# ---- the page ----------------------------------------------------------------------------------------------------


def test_the_page_lists_what_went_out_and_what_came_in(mailbox: Mailbox, server: int, tmp_path: Path) -> None:
    sent(tmp_path)
    send(server, mail())

    whole = text(mailbox.get("/"))
    assert "A message from Demo" in whole
    assert "received: Where is it?" in whole


def test_what_a_mail_says_is_escaped(mailbox: Mailbox, server: int, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    sent(tmp_path, evil)
    send(server, mail(Subject=evil, X_Evil=evil))

    pages = [mailbox.get("/"), *(mailbox.get(f"/threads/{each.name}") for each in shown(tmp_path))]
    assert [each.status for each in pages] == [200, 200, 200]
    assert [each for each in pages if b"<script" in each.body] == []


def test_the_html_of_a_mail_runs_no_script_and_loads_nothing(mailbox: Mailbox, tmp_path: Path) -> None:
    sent(tmp_path)
    [thread] = shown(tmp_path)

    assert f'<iframe src="/mails/{thread.name}/html" sandbox ' in text(mailbox.get(f"/threads/{thread.name}"))
    answer = mailbox.get(f"/mails/{thread.name}/html")
    assert text(answer) == "<p>It is <b>here</b>.</p>"
    assert answer.policy.startswith("sandbox; default-src 'none';")


def test_an_answer_goes_to_the_reply_address_with_references_and_the_mail_quoted(
    mailbox: Mailbox, tmp_path: Path, aws: Aws
) -> None:
    sent(tmp_path)
    [thread] = shown(tmp_path)
    form = {"token": mailbox.token, "from": "grace@example.com", "text": "Thanks!"}
    answer = mailbox.post(f"/mails/{thread.name}/answer", form)

    assert (answer.status, answer.location.partition("#")[0]) == (303, f"/threads/{thread.name}")
    [whole] = shown(tmp_path)
    came = whole.newest
    own = thread.newest.message_id
    assert (came.recipient, came.subject) == ("r+token@mail.localhost", "Re: A message from Demo")
    assert came.header("In-Reply-To") == own
    assert came.header("References") == f"<conv_1@example.com> {own}"
    assert re.fullmatch(
        r"Thanks!\n\nOn .+ UTC, helpdesk@example.com wrote:\n> It is \*\*here\*\*\.\n", came.text
    )
    said = aws.said()
    assert isinstance(said, Received)
    assert said.is_aligned("example.com")


def test_a_customer_whose_mail_is_not_answered_yet_writes_again_in_the_thread(
    mailbox: Mailbox, server: int, tmp_path: Path
) -> None:
    send(server, mail(From="Grace <grace@example.com>", Message_ID="<1@example.com>"))
    [thread] = shown(tmp_path)
    whole = text(mailbox.get(f"/threads/{thread.name}"))
    assert "Write again as the customer" in whole
    assert 'name="from" value="Grace &lt;grace@example.com&gt;"' in whole
    form = {"token": mailbox.token, "from": "grace@example.com", "text": "Hello?"}
    mailbox.post(f"/mails/{thread.name}/answer", form)

    [both] = shown(tmp_path)
    assert [each.recipient for each in both.mails] == ["demo@mail.localhost"] * 2
    assert both.newest.header("In-Reply-To") == "<1@example.com>"


def test_an_answer_of_an_unverified_sender_fails_the_checks(
    mailbox: Mailbox, tmp_path: Path, aws: Aws
) -> None:
    sent(tmp_path)
    [thread] = shown(tmp_path)
    form = {"token": mailbox.token, "from": "grace@example.com", "text": "Hi", "unverified": "yes"}
    mailbox.post(f"/mails/{thread.name}/answer", form)

    said = aws.said()
    assert isinstance(said, Received)
    assert {said.spf, said.dkim, said.dmarc} == {Verdict.FAIL}


def test_what_smtp_refuses_is_said_on_the_page(mailbox: Mailbox) -> None:
    form = {"token": mailbox.token, "from": "a@example.com", "to": "b@example.com", "text": "Hi"}
    answer = mailbox.post("/write", form)

    assert answer.status == 400
    assert "This stack receives mail for &lt;slug&gt;@mail.localhost alone" in text(answer)


def test_a_line_break_in_a_field_adds_no_header(mailbox: Mailbox, aws: Aws) -> None:
    form = {
        "token": mailbox.token,
        "from": "a@example.com\r\nBcc: x@mail.localhost",
        "to": "demo@mail.localhost",
    }

    assert mailbox.post("/write", {**form, "text": "Hi"}).status == 400
    assert aws.published == []


def test_a_mail_whose_answers_go_elsewhere_has_no_form_for_one(mailbox: Mailbox, tmp_path: Path) -> None:
    sent(tmp_path, Headers=[{"Name": "Reply-To", "Value": "support@example.com"}])
    file = next(tmp_path.glob(f"*{files.SENT}"))
    file.write_text(json.dumps(json.loads(file.read_text()) | {"ReplyToAddresses": []}))
    [thread] = shown(tmp_path)

    whole = text(mailbox.get(f"/threads/{thread.name}"))
    assert "Answers to this mail go to support@example.com" in whole
    assert "Answer as the customer" not in whole


def test_a_bounce_and_a_complaint_are_reported_as_ses_does(
    mailbox: Mailbox, tmp_path: Path, aws: Aws
) -> None:
    sent(tmp_path)
    [thread] = shown(tmp_path)
    tags = MailTags("org_1", "con_1", "mes_1")

    assert mailbox.post(f"/mails/{thread.name}/bounce", {"token": mailbox.token}).status == 200
    said = aws.said()
    assert isinstance(said, Bounced)
    assert (said.subtype, said.tags) == ("NoEmail", tags)
    assert mailbox.post(f"/mails/{thread.name}/complain", {"token": mailbox.token}).status == 200
    assert aws.said() == Complained("abuse", tags)


def test_a_form_without_the_pages_token_does_nothing(mailbox: Mailbox, tmp_path: Path, aws: Aws) -> None:
    sent(tmp_path)
    [thread] = shown(tmp_path)

    assert mailbox.post(f"/mails/{thread.name}/bounce", {}).status == 403
    assert mailbox.post("/write", {"token": "x", "to": "demo@mail.localhost"}).status == 403
    assert aws.published == []


@pytest.mark.parametrize("path", ["/mails/1/html", "/mails/../html", "/threads/x", "/etc", "/mails/1/source"])
def test_what_is_not_there_is_404(mailbox: Mailbox, path: str) -> None:
    assert mailbox.get(path).status == 404


@pytest.fixture
def web(mailbox: Mailbox) -> Iterator[HTTPConnection]:
    port = free_port()
    made = page.server(HOST, port, mailbox)
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    connection = HTTPConnection(HOST, port, timeout=10)
    yield connection
    connection.close()
    made.shutdown()
    made.server_close()


def test_the_console_is_opened_with_the_cookie_of_a_sign_in(
    web: HTTPConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SignIn, "cookie_of", lambda _, role: f"helpdesk={role}; Path=/helpdesk/v1")

    for path, role in (("/console", "owner"), ("/console/admin", "admin")):
        web.request("GET", path)
        answer = web.getresponse()
        answer.read()
        assert (answer.status, answer.getheader("location")) == (
            303,
            "http://127.0.0.1:4566/helpdesk/console/",
        )
        assert answer.getheader("set-cookie") == f"helpdesk={role}; Path=/helpdesk/v1"


def test_another_host_is_refused(web: HTTPConnection) -> None:
    web.request("GET", "/", headers={"host": "evil.example"})
    assert web.getresponse().status == 421


def test_pages_have_a_policy_and_forms_with_files_are_sent(
    web: HTTPConnection, mailbox: Mailbox, aws: Aws
) -> None:
    web.request("GET", "/")
    answer = web.getresponse()
    answer.read()
    assert (answer.getheader("content-security-policy") or "").startswith(
        "default-src 'none'; style-src 'self';"
    )
    fields = {"token": mailbox.token, "from": "g@example.com", "to": "demo@mail.localhost", "text": "See"}
    head = "--x\r\nContent-Disposition: form-data; name"
    parts = [f'{head}="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    parts.append(f'{head}="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n--x--\r\n')
    web.request("POST", "/write", "".join(parts), {"content-type": "multipart/form-data; boundary=x"})
    assert web.getresponse().status == 303
    [stored] = aws.stored.values()
    assert b'filename="a.png"' in stored


def test_a_plain_form_is_sent_too(web: HTTPConnection, mailbox: Mailbox, aws: Aws) -> None:
    fields = {"token": mailbox.token, "from": "g@example.com", "to": "demo@mail.localhost", "text": "See"}
    kind = "application/x-www-form-urlencoded"
    web.request("POST", "/write", urlencode(fields), {"content-type": kind})

    assert web.getresponse().status == 303
    assert json.loads(aws.published[0])["mail"]["source"] == "g@example.com"
