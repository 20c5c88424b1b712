"""The mails that are sent, and what they say."""

from collections.abc import Sequence
from datetime import UTC, datetime

from helpdesk.mail import sender
from helpdesk.mail.rendering import MAX_NAME_CHARACTERS, Code, Link, Paragraph, lines, rendered
from helpdesk.platform.text import one_line

CODE_MINUTES = 10
MAX_FILE_NAME_CHARACTERS = 200


def send_code(email: str, code: str, minutes: int = CODE_MINUTES) -> None:
    """Send a one-time code to sign in with. Raises MailNotSent, or one of its kinds."""
    mail = rendered(
        "Your code to sign in",
        [
            "Your code to sign in is:",
            Code(code),
            f"It works once, within {minutes} minutes. Give it to nobody: we never ask for it.",
            "If you did not ask for a code, do nothing. Nobody can sign in without it.",
        ],
    )
    sender.send(mail, email)


def send_invitation(
    email: str, *, organization: str, invited_by: str, role: str, link: str, valid_until: int
) -> None:
    """Send an invitation to an organization, which is named, by a person, who is named, until an instant (ms).

    Raises MailNotSent, or one of its kinds.
    """
    name, inviter = one_line(organization, MAX_NAME_CHARACTERS), one_line(invited_by, MAX_NAME_CHARACTERS)
    until = datetime.fromtimestamp(valid_until / 1_000, UTC)
    mail = rendered(
        f"{inviter} invites you to {name}",
        [
            f"{inviter} invites you to join {name} as {role}.",
            "To accept, open this address and sign in with the address that this mail came to:",
            Link(link),
            f"The invitation lasts until {until:%d %B %Y, %H:%M} UTC. It is for you alone: do not forward it.",
            "If you did not expect it, do nothing.",
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
) -> None:
    """Send what a teammate, who is named, wrote to a customer; `files` are names and addresses. At most once.

    Raises MailNotSent, or one of its kinds.
    """
    name, writer = one_line(organization, MAX_NAME_CHARACTERS), one_line(written_by, MAX_NAME_CHARACTERS)
    paragraphs: list[Paragraph] = [lines(body)] if body else []
    for file, address in files:
        paragraphs += [one_line(file, MAX_FILE_NAME_CHARACTERS), Link(address)]
    who = name if writer == name else f"{writer} of {name}"
    if reply_to:
        paragraphs.append(f"{who} wrote this to you. To answer, reply to this mail.")
    else:
        paragraphs.append(
            f"{who} wrote this to you. Replies to this mail are not read: answer where you wrote to us before."
        )
    sender.send(rendered(f"A message from {name}", paragraphs), email, reply_to=reply_to, once=True)
