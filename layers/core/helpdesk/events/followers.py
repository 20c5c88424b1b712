"""What follows an organization's conversations beside its webhook endpoints: apps, and mail of unread messages.

The fan-out reads followers with the endpoints, so an organization that has neither pays for neither.
"""

from helpdesk.platform import clock
from helpdesk.storage.stored import Stored
from helpdesk.storage.transactions import Transaction

UNREAD_MAIL = "unread_mail"
"""The follower that mails what a visitor hasn't read. The others are apps."""


class EventFollower(Stored, kw_only=True):
    """Whether an app, or the mail of unread messages, follows the organization's conversations.

    `after_minutes` is how long a message may stay unread; the apps have none. `expires_at` is in seconds.
    """

    PK, SK = "ORG#{organization}#WEBHOOK", "FOLLOWER#{app}"
    organization: str
    app: str
    follows: bool
    after_minutes: int | None = None
    expires_at: int | None = None


def follow(
    transaction: Transaction, organization: str, app: str, *, follows: bool, for_seconds: int | None = None
) -> None:
    """Let an app follow the organization's conversations, for a time or on, or no longer.

    Each event becomes a job for it.
    """
    ends = None if for_seconds is None else clock.seconds_from_now(for_seconds)
    transaction.put(EventFollower(organization=organization, app=app, follows=follows, expires_at=ends))


def mail_unread(transaction: Transaction, organization: str, after_minutes: int | None) -> None:
    """Let messages be mailed that stay unread for so many minutes; with None, none are."""
    transaction.put(
        EventFollower(
            organization=organization,
            app=UNREAD_MAIL,
            follows=after_minutes is not None,
            after_minutes=after_minutes,
        )
    )
