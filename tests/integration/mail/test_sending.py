"""One mail: its texts, and the errors of SES."""

import html
import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.rendering import MAX_NAME_CHARACTERS
from helpdesk.mail.sender import MailTags
from helpdesk.mail.threading import Thread
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.platform.text import one_line
from helpdesk.visitor_texts.texts import Sentences
from tests.support.mail import FROM, Sent, refusal

UNTIL = 1_764_288_000_000  # 28 November 2025, 00:00 UTC


def invite(email: str = "grace@example.com", **changes: Any) -> None:
    given: dict[str, Any] = {
        "organization": "Example Shop",
        "invited_by": "Ada Lovelace",
        "role": "admin",
        "link": "https://support.example.com/v1/invite/abc",
        "valid_until": UNTIL,
    }
    mail.send_invitation(email, **{**given, **changes})


def write(**changes: Any) -> None:
    written: dict[str, Any] = {"author": "Ada Lovelace", "body": "Hello", "html": None, "files": []}
    given: dict[str, Any] = {
        "organization": "Example Shop",
        "reply_to": None,
        "tags": MailTags("org_1", "conv_1", "msg_1"),
        "sentences": Sentences("en", {}),
    }
    of_message = {name: changes.pop(name, value) for name, value in written.items()}
    message = mail.Written(**of_message)
    mail.send_messages("grace@example.com", [message], Thread("conv_1"), **{**given, **changes})


def refuse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def send_email(**_: Any) -> None:
        raise error

    monkeypatch.setattr(clients.ses(), "send_email", send_email)


def test_a_code_is_sent_to_its_recipient(mails: list[Sent]) -> None:
    mail.send_code("grace@example.com", "042137", 10)
    (sent,) = mails
    assert (sent.sender, sent.to) == (FROM, ["grace@example.com"])
    assert sent.subject == "Your code to sign in"
    assert sent.text == (
        "Your code to sign in is:\n\n042137\n\n"
        "It works once, within 10 minutes. Don't share it: we never ask for it.\n\n"
        "If you did not request a code, ignore this mail. Nobody can sign in without it.\n"
    )
    assert ">042137</p>" in sent.html


def test_an_invitation_names_the_inviter_the_organization_and_its_expiry(mails: list[Sent]) -> None:
    invite()
    (sent,) = mails
    assert (sent.sender, sent.to) == (FROM, ["grace@example.com"])
    assert sent.subject == "Ada Lovelace invites you to Example Shop"
    assert sent.text == (
        "Ada Lovelace invites you to join Example Shop as admin.\n\n"
        "To accept, open this link and sign in with the address that received this mail:\n\n"
        "https://support.example.com/v1/invite/abc\n\n"
        "The invitation expires on 28 November 2025, 00:00 UTC. It is only for you: do not forward it.\n\n"
        "If you did not expect it, ignore this mail.\n"
    )
    link = "https://support.example.com/v1/invite/abc"
    assert f'<a href="{link}">{link}</a>' in sent.html


NAMES = {
    "markup": "<script>alert(1)</script>",
    "attribute": '" onmouseover="x',
    "entity": "Fish &amp; Chips",
    "lines": "Shop\r\nBcc: victim\n\nHello",
    "separators": "A\u2028B\u2029C\x85D",
    "controls": "A\x00B\x1b[31m\x7fC",
    "direction": "Shop \u202egnp\u2066\u200b",
    "surrogate": "A\ud800B",
    "long": "x" * 500,
    "empty": "",
    "emoji": "👩‍💻 Shop",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("field", ["organization", "invited_by"])
def test_with_any_name_the_subject_is_one_line_and_the_html_is_escaped(
    mails: list[Sent], name: str, field: str
) -> None:
    invite(**{field: name})
    (sent,) = mails
    assert sent.subject.isprintable() or "👩‍💻" in sent.subject
    assert len(sent.subject.splitlines()) == 1
    assert len(sent.subject) <= 200
    assert "<script" not in sent.html
    assert 'onmouseover="' not in sent.html
    assert html.escape(one_line(name, MAX_NAME_CHARACTERS)) in sent.html
    assert len(sent.text.split("\n\n")) == 5
    assert not any("\ud800" <= char <= "\udfff" for char in sent.subject + sent.text + sent.html)


HOSTILE = "Locked! Call +1 900 555 0199 or open https://evil.example/x"


@pytest.mark.parametrize(
    "send",
    [
        lambda: invite(organization=HOSTILE),
        lambda: invite(invited_by=HOSTILE),
        lambda: write(organization=HOSTILE),
        lambda: write(author=HOSTILE),
    ],
    ids=["an organization invites", "a person invites", "an organization writes", "a person writes"],
)
def test_no_name_in_a_mail_has_something_to_open_or_to_call(
    mails: list[Sent], send: Callable[[], None]
) -> None:
    send()

    (sent,) = mails
    for part in (sent.subject, sent.text, sent.html):
        assert "evil" not in part
        assert "0199" not in part


def test_an_invitation_without_names_has_words_of_its_own(mails: list[Sent]) -> None:
    invite(organization=None, invited_by=None)

    (sent,) = mails
    assert sent.subject == "Someone invites you to an organization"
    assert sent.text.startswith("Someone invites you to join an organization as admin.\n\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  Example \t Shop \n", "Example Shop"),
        ("A\x00B\u202eC", "ABC"),
        ("Shop\r\nBcc: victim", "Shop Bcc: victim"),
        ("x" * 100, "x" * 80),
        ("👩‍💻", "👩‍💻"),
    ],
)
def test_a_name_becomes_one_line(text: str, shown: str) -> None:
    assert one_line(text, MAX_NAME_CHARACTERS) == shown


def test_a_domain_is_sent_to_ses_in_ascii(mails: list[Sent]) -> None:
    invite("grace@exämple.de")
    assert mails[0].to == ["grace@xn--exmple-cua.de"]


def test_an_impossible_domain_is_rejected(mails: list[Sent]) -> None:
    with pytest.raises(MailRefused):
        invite(f"grace@{'ä' * 80}.de")
    assert mails == []


def test_without_a_sender_nothing_is_sent() -> None:
    assert settings().mail_from == ""
    with pytest.raises(MailNotSetUp):
        invite()


@pytest.mark.parametrize("code", ["MessageRejected", "BadRequestException"])
@pytest.mark.usefixtures("mails")
def test_a_permanent_rejection_by_ses_is_reported_as_such(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    refuse(monkeypatch, refusal(code))
    with pytest.raises(MailRefused) as raised:
        invite()
    assert str(raised.value) == code


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("TooManyRequestsException", 429),
        ("LimitExceededException", 400),
        ("InternalServiceErrorException", 500),
    ],
)
@pytest.mark.usefixtures("mails")
def test_a_temporary_rejection_by_ses_can_be_retried(
    monkeypatch: pytest.MonkeyPatch, code: str, status: int
) -> None:
    refuse(monkeypatch, refusal(code, status))
    with pytest.raises(MailNotSent) as raised:
        invite()
    assert type(raised.value) is MailNotSent
    assert str(raised.value) == code


# What SES answers until the operator acts: in the sandbox, without a verified sender, while sending is paused, and
# where the deployment itself is wrong.
UNTIL_THE_OPERATOR_ACTS = {
    "sandbox": (
        "MessageRejected",
        (
            "Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: "
            f"Grace@example.com, {FROM}"
        ),
        (
            "Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: "
            "(address), (MailFrom)"
        ),
    ),
    "sending_suspended": (
        "MessageRejected",
        "Sending suspended for this account. For more information, please check the inbox of root@example.org.",
        "Sending suspended for this account. For more information, please check the inbox of (address)",
    ),
    "configuration_set_gone": (
        "MessageRejected",
        "Configuration set <default> does not exist.",
        "Configuration set <default> does not exist.",
    ),
    "domain": (
        "MailFromDomainNotVerifiedException",
        "MAIL FROM domain bounce.helpdesk.example is not verified.",
        "MAIL FROM domain bounce.helpdesk.example is not verified.",
    ),
    "suspended": ("AccountSuspendedException", "Account is suspended.", "Account is suspended."),
    "quota": (
        "TooManyRequestsException",
        "Daily message quota exceeded.",
        "Daily message quota exceeded.",
    ),
    "paused": ("SendingPausedException", "Sending is paused.", "Sending is paused."),
    "permission": (
        "AccessDeniedException",
        (
            "User `arn:aws:sts::123456789012:assumed-role/Oauth/x' is not authorized to perform `ses:SendEmail' "
            f"on resource `arn:aws:ses:eu-central-1:123456789012:identity/{FROM}'"
        ),
        (
            "User `arn:aws:sts::123456789012:assumed-role/Oauth/x' is not authorized to perform `ses:SendEmail' "
            "on resource `arn:aws:ses:eu-central-1:123456789012:identity/(MailFrom)'"
        ),
    ),
    "unknown": ("SomethingNewException", 'Ask "grace hopper"@example.com.', "Ask (address)"),
}


@pytest.mark.parametrize(
    ("code", "words", "logged"), UNTIL_THE_OPERATOR_ACTS.values(), ids=UNTIL_THE_OPERATOR_ACTS
)
@pytest.mark.usefixtures("mails")
def test_what_the_operator_has_to_mend_is_retried_counted_and_logged_in_the_words_of_ses(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    code: str,
    words: str,
    logged: str,
) -> None:
    refuse(monkeypatch, refusal(code, words=words))

    with pytest.raises(MailNotAllowed, match=f"^{code}$"):
        invite()

    [line] = [vars(record) for record in caplog.records if record.message == "mail_not_allowed"]
    assert (line["code"], line["words"]) == (code, logged)
    assert json.loads(capsys.readouterr().out)["MailNotAllowed"] == [1.0]


@pytest.mark.usefixtures("mails")
def test_the_fault_of_one_mail_is_no_fault_of_the_operator(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(
        monkeypatch, refusal("BadRequestException", words="Local address contains control: grace@example.com")
    )

    with pytest.raises(MailRefused):
        invite()

    [line] = [vars(record) for record in caplog.records if record.message == "mail_refused"]
    assert line["words"] == "Local address contains control: (address)"
    assert "MailNotAllowed" not in capsys.readouterr().out


@pytest.mark.usefixtures("mails")
def test_a_missing_response_from_ses_can_be_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, EndpointConnectionError(endpoint_url="https://email.example"))
    with pytest.raises(MailNotSent, match=r"^EndpointConnectionError$"):
        invite()


def test_a_sender_that_is_not_verified_is_refused(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "unverified@elsewhere.example")
    settings.cache_clear()
    with pytest.raises(MailNotAllowed):
        invite()
    assert mails == []
