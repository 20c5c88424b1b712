"""Repeats work that read something, decided on it, and could not write because it had changed.

Every change is conditional on what was read, so two at once cannot both succeed. The one that fails reads again and
decides again, at once and without a pause: each failure means that another change has succeeded, so fewer are left.
Where DynamoDB returns the item that a condition met, the loops of a noun continue with that item and save the read.
"""

from collections.abc import Callable

from helpdesk.storage.transactions import Conflict

MOST_TRIES = 12
"""More than the requests that meet at one item in practice."""


def repeat_when_stale[T](attempt: Callable[[], T], *stale: type[Exception], most: int = MOST_TRIES) -> T:
    """Return what an attempt returns: a function that reads, decides and commits.

    One that raises an exception of the kinds `stale` is repeated. Raises Conflict when `most` attempts have failed, and
    at once what else an attempt raises.
    """
    for _ in range(most):
        try:
            return attempt()
        except stale:
            continue
    raise Conflict
