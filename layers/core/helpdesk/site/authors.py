"""The names of those who wrote on the feedback board, remembered for a few seconds, as lists are."""

from collections.abc import Iterable

from helpdesk.board import public
from helpdesk.platform import clock
from helpdesk.site.contents import KEPT_MS

_MOST_KEPT = 20_000

_kept: dict[tuple[str, str], tuple[int, str | None]] = {}


def names_of(organization: str, customer_ids: Iterable[str]) -> dict[str, str | None]:
    """Return names of customers by their ids; None without one, and for who is gone. At most one call.

    A change of a name, and an erasure, are seen after 15 seconds at most.
    """
    now = clock.now_ms()
    found: dict[str, str | None] = {}
    missing: list[str] = []
    for each in dict.fromkeys(customer_ids):
        at, name = _kept.get((organization, each), (0, None))
        if at <= now < at + KEPT_MS:
            found[each] = name
        else:
            missing.append(each)
    if missing:
        read = public.authors(organization, missing)
        if len(_kept) + len(missing) > _MOST_KEPT:
            _kept.clear()
        for each in missing:
            found[each] = read.get(each)
            _kept[organization, each] = (now, found[each])
    return found


def forget() -> None:
    """Forget every name; for tests."""
    _kept.clear()
