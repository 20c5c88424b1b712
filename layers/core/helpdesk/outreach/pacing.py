"""The pace at which outreach is mailed, so that it never uses up SES's sending rate.

SES limits how many mails an account sends in a second, and refuses the next one, no matter who it is for. Outreach can
wait and a sign-in code cannot. So outreach goes out at a fixed pace, whatever waits (docs/decisions/0111).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from helpdesk.mail import ceilings
from helpdesk.mail.ceilings import MailKind
from helpdesk.platform.units import HOUR_SECONDS

CONCURRENCY = 2
"""How many batches of outreach are sent at once (template.yaml, Outreach): the fewest that Lambda allows."""

LEAST_PER_SECOND = 4
"""A new SES account with production access sends 14 mails a second."""

_TIMES_CEILING = 2


def per_second() -> float:
    """Return how many outreach mails go out in a second: 4, or twice the ceiling where that is more."""
    return max(LEAST_PER_SECOND, _TIMES_CEILING * ceilings.per_hour(MailKind.OUTREACH) / HOUR_SECONDS)


@contextmanager
def paced() -> Iterator[None]:
    """Let the block, which sends one mail, take at least as long as the pace demands of one environment.

    The wait comes after the mail, so that the pace also holds from one invocation to the next.
    """
    until = time.monotonic() + CONCURRENCY / per_second()
    try:
        yield
    finally:
        time.sleep(max(0.0, until - time.monotonic()))
