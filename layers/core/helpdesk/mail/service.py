"""The mails of the service and their texts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum

from helpdesk.mail import sender
from helpdesk.mail.names import safe_name
from helpdesk.mail.rendering import Code, Link, Paragraph, lines, rendered
from helpdesk.platform.text import one_line
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences

MAX_FILE_NAME_CHARACTERS = 200


class Outcome(StrEnum):
    """The result of a mail that waits for somebody's answer, for the function's log."""

    SENT = "sent"
    SENT_BEFORE = "sent_before"
    NO_LONGER_PENDING = "no_longer_pending"
    REFUSED = "refused"
    NOT_SET_UP = "not_set_up"


def send_code(email: str, code: str, minutes: int) -> None:
    """Send a one-time sign-in code that works for some minutes. Raises MailNotSent or a subclass."""
    mail = rendered(
        "Your code to sign in",
        [
            "Your code to sign in is:",
            Code(code),
            f"It works once, within {minutes} minutes. Don't share it: we never ask for it.",
            "If you did not request a code, ignore this mail. Nobody can sign in without it.",
        ],
    )
    sender.send(mail, email)


def send_support_code(email: str, code: str, minutes: int, *, organization: str | None) -> None:
    """Send the code that confirms a support address. `organization` is a name, None if no mail may have it.

    Raises MailNotSent or a subclass.
    """
    name = safe_name(organization or "") or "An organization"
    mail = rendered(
        "Your code to confirm a support address",
        [
            f"{name} wants to use this address for support: replies to its e-mails to customers would come here.",
            "If you agree, enter this code in its settings:",
            Code(code),
            f"The code works once, within {minutes} minutes.",
            "If you did not expect this mail, ignore it. Without the code, the address is not used.",
        ],
    )
    sender.send(mail, email)


def send_site_code(
    email: str, code: str, *, subject: str, sentences: tuple[str, str, str], language: Language
) -> None:
    """Send a visitor their one-time code for a help site, in their language. Raises MailNotSent or a subclass.

    `sentences` say what the code is for, how long it works, and what to do without having asked for one.
    """
    what, once, unasked = sentences
    sender.send(rendered(subject, [what, Code(code), once, unasked], language), email)


def send_invitation(
    email: str,
    *,
    organization: str | None,
    invited_by: str | None,
    role: str,
    link: str,
    valid_until: int,
) -> None:
    """Send an invitation. `valid_until` is in ms.

    `organization` and `invited_by` are names, None for an organization whose own words no mail may have.

    Raises MailNotSent or a subclass.
    """
    name = safe_name(organization or "") or "an organization"
    inviter = safe_name(invited_by or "") or "Someone"
    until = datetime.fromtimestamp(valid_until / 1_000, UTC)
    mail = rendered(
        f"{inviter} invites you to {name}",
        [
            f"{inviter} invites you to join {name} as {role}.",
            "To accept, open this link and sign in with the address that received this mail:",
            Link(link),
            f"The invitation expires on {until:%d %B %Y, %H:%M} UTC. It is only for you: do not forward it.",
            "If you did not expect it, ignore this mail.",
        ],
    )
    sender.send(mail, email)


def send_message(
    email: str,
    *,
    organization: str,
    written_by: str,
    body: str,
    files: Sequence[tuple[str, str]],
    reply_to: str | None,
    sentences: Sentences,
) -> None:
    """Send a teammate's message to a customer, at most once. `files` are names and URLs.

    `sentences` are the organization's sentences in the customer's language.

    Raises MailNotSent or a subclass.
    """
    name = safe_name(organization) or "Helpdesk"
    writer = safe_name(written_by) or name
    paragraphs: list[Paragraph] = [lines(body)] if body else []
    for file, address in files:
        paragraphs += [one_line(file, MAX_FILE_NAME_CHARACTERS), Link(address)]
    who = name
    if writer != name:
        who = sentences.write(TextName.MAIL_AUTHOR, author=writer, organization=name)
    footer = TextName.MAIL_REPLY if reply_to else TextName.MAIL_NO_REPLY
    paragraphs.append(sentences.write(footer, author=who))
    subject = sentences.write(TextName.MAIL_SUBJECT, organization=name)
    sender.send(rendered(subject, paragraphs, sentences.language), email, reply_to=reply_to, once=True)
