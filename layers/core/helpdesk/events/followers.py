"""What follows an organization's conversations beside its endpoints: apps, mail of unread messages, live updates.

The fan-out reads followers with the endpoints, so an organization that has neither pays for neither.
"""

from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored
from helpdesk.storage.transactions import Transaction

UNREAD_MAIL = "unread_mail"
"""The follower that mails what a visitor hasn't read."""
LIVE = "live"
"""The follower that is there while live connections are open. The others are apps."""
_LIVE_SECONDS, _LIVE_LEFT_SECONDS = 4 * HOUR_SECONDS, 2 * HOUR_SECONDS


class EventFollower(Stored, kw_only=True):
    """Whether an app, the mail of unread messages or a live connection follows the organization's conversations.

    `after_minutes` is how long a message may stay unread; the apps have none. `expires_at` is in seconds.
    """

    PK, SK = "ORG#{organization}#WEBHOOK", "FOLLOWER#{app}"
    organization: str
    app: str
    follows: bool
    after_minutes: int | None = None
    expires_at: int | None = None

    @property
    def has_ended(self) -> bool:
        """Whether its time is over: DynamoDB deletes its item only later."""
        return self.expires_at is not None and self.expires_at <= clock.seconds_from_now(0)


_followers = Collection(EventFollower)


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


def follow_live(transaction: Transaction, organization: str) -> None:
    """Let live connections get hints, for longer than one that opens now can last. One read, and seldom a write."""
    found = _followers.find(organization, LIVE)
    if found is None or (found.expires_at or 0) < clock.seconds_from_now(_LIVE_LEFT_SECONDS):
        follow(transaction, organization, LIVE, follows=True, for_seconds=_LIVE_SECONDS)
