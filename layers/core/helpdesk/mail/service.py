"""The mails of the service and their texts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from helpdesk.mail import sender, threading
from helpdesk.mail.names import safe_name
from helpdesk.mail.rendering import Code, Link, Paragraph, Quote, Rich, Small, lines, rendered
from helpdesk.mail.sender import MailTags
from helpdesk.mail.threading import Earlier, Thread
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut, one_line
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences

MAX_FILE_NAME_CHARACTERS = 200
MAX_QUOTED_CHARACTERS = 1_000
MAX_ABOUT_CHARACTERS = 80


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


def send_team_notice(
    email: str,
    subject: str,
    *,
    organization: str,
    customer: str | None,
    conversation_id: str,
    about: str,
    messages: Sequence[str],
) -> None:
    """Send a member what waits for them: why, in `subject`, and the customer's `messages`.

    `subject` names the customer as `{customer}`, and `about` is the subject of the conversation. Replies reach nobody,
    so that no internal word ever reaches a customer by mistake. Raises MailNotSent or a subclass.
    """
    paragraphs: list[Paragraph] = [
        Small(f"{safe_name(organization)} · {one_line(about, MAX_ABOUT_CHARACTERS)}")
    ]
    paragraphs += [lines(cut(message, MAX_QUOTED_CHARACTERS)) for message in messages]
    paragraphs += [
        "Read and answer it in the console:",
        Link(f"{settings().base_url}/console/conversations/{conversation_id}"),
        Small("Don't reply to this mail: nobody reads the replies. To choose what you are notified of:"),
        Link(f"{settings().base_url}/console/settings/me", is_small=True),
    ]
    who = safe_name(customer or "") or "A customer"
    mail = rendered(subject.format(customer=who), paragraphs)
    sender.send(mail, email, headers=threading.headers(Thread(conversation_id, is_automatic=True)))


class Written(NamedTuple):
    """A message in a mail: who wrote it, its text, its HTML if it has one, and its files by name and URL."""

    author: str
    body: str
    html: str | None
    files: Sequence[tuple[str, str]]


def send_messages(
    email: str,
    messages: Sequence[Written],
    thread: Thread,
    *,
    organization: str,
    reply_to: str | None,
    tags: MailTags,
    sentences: Sentences,
    customer: str | None = None,
) -> None:
    """Send messages of a conversation to a customer, at most once. `tags` name the newest of them.

    `sentences` are the organization's sentences in the customer's language. `customer` is what the customer calls
    themselves in their mails.

    Raises MailNotSent or a subclass.
    """
    name = safe_name(organization) or "Helpdesk"
    paragraphs: list[Paragraph] = []
    for message in messages:
        if len(messages) > 1:
            paragraphs.append(Small(_whole_name(message, name, sentences)))
        if message.body:
            text = lines(message.body)
            paragraphs.append(text if message.html is None else Rich(text, message.html))
        for file, address in message.files:
            paragraphs += [one_line(file, MAX_FILE_NAME_CHARACTERS), Link(address)]
    writer = _whole_name(messages[-1], name, sentences)
    footer = TextName.MAIL_REPLY if reply_to else TextName.MAIL_NO_REPLY
    paragraphs.append(Small(sentences.write(footer, author=writer)))
    if thread.page is not None:
        paragraphs.append(Link(thread.page))
    if thread.unsubscribe is not None:
        paragraphs += [
            Small(sentences.write(TextName.MAIL_UNSUBSCRIBE)),
            Link(thread.unsubscribe, is_small=True),
        ]
    paragraphs += [_quote(each) for each in thread.earlier]
    mail = rendered(_subject(thread, name, sentences), paragraphs, sentences.language)
    sender.send(
        mail,
        email,
        name=safe_name(customer or ""),
        from_name=writer,
        reply_to=reply_to,
        headers=threading.headers(thread),
        tags=tags,
        once=True,
    )


def send_resolved(
    email: str,
    rate_url: str,
    thread: Thread,
    *,
    organization: str,
    reply_to: str,
    sentences: Sentences,
    customer: str | None = None,
) -> None:
    """Tell a customer that their conversation is resolved, and ask for a rating, at most once.

    Raises MailNotSent or a subclass.
    """
    name = safe_name(organization) or "Helpdesk"
    paragraphs: list[Paragraph] = [
        sentences.write(TextName.MAIL_RESOLVED, organization=name),
        sentences.write(TextName.MAIL_RATE),
        Link(rate_url),
    ]
    mail = rendered(_subject(thread, name, sentences), paragraphs, sentences.language)
    sender.send(
        mail,
        email,
        name=safe_name(customer or ""),
        from_name=name,
        reply_to=reply_to,
        headers=threading.headers(thread),
        once=True,
    )


def _subject(thread: Thread, organization: str, sentences: Sentences) -> str:
    if thread.subject is None:
        return sentences.write(TextName.MAIL_SUBJECT, organization=organization)
    return threading.answer_to(thread.subject)


def _quote(earlier: Earlier) -> Quote:
    at = datetime.fromtimestamp(earlier.at / 1_000, UTC)
    about = f"{safe_name(earlier.author)}, {at:%Y-%m-%d %H:%M} UTC:"
    return Quote(about, lines(earlier.body), earlier.html)


def _whole_name(message: Written, organization: str, sentences: Sentences) -> str:
    """Return who wrote a message, with the organization: Ada of Example."""
    writer = safe_name(message.author) or organization
    if writer == organization:
        return organization
    return sentences.write(TextName.MAIL_AUTHOR, author=writer, organization=organization)
