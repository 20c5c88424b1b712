"""The mails that are sent, and what they say."""

from datetime import UTC, datetime

from helpdesk.mail import sender
from helpdesk.mail.rendering import Code, Link, one_line, rendered

CODE_MINUTES = 10


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
    name, inviter = one_line(organization), one_line(invited_by)
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
