"""Follow the log, the inbox and the approvals: poll for new ones and return each once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from helpdesk_cli.api import Api, Object
from helpdesk_cli.problems import NotHelpdesk, OAuthRefusal, Problem, Refusal, Unreachable

INTERVAL_SECONDS = 5.0
"""Twelve of the 120 reads per minute that the smallest plan allows."""
LONGEST_INTERVAL_SECONDS = 60.0
OVERLAP_MS = 120_000
"""Each poll re-reads this much, because machines may write entries slightly out of order."""
_SHARED_MS = 60_000
"""Refusals of one minute share an entry, which a period finds by its last one."""
_EVERYTHING = 1_000_000


def entries(
    api: Api, kind: str | None, limit: int, *, sleep: Callable[[float], None], on_wait: Callable[[str], None]
) -> Iterator[Object]:
    """Return the newest `limit` entries, oldest first, then every new one, forever.

    Polls a busy or unreachable service again after Retry-After, or with a growing interval. Errors: Refusal for what
    waiting does not fix, such as an ended login.
    """
    begun = api.listed("logs", name="logs", limit=limit, kind=kind)["logs"]
    begun = sorted(begun, key=_place)
    yield from begun
    newest: Object | None = begun[-1] if begun else None
    # Entries older than the first one returned were not requested, but may lie in the overlap.
    oldest_wanted = _place(begun[0]) if begun and len(begun) == limit else (0, "")
    seen = {entry["id"]: entry["at"] for entry in begun}
    interval = INTERVAL_SECONDS
    while True:
        sleep(interval)
        start = None if newest is None else max(0, newest["at"] - OVERLAP_MS)
        try:
            window = _since(api, kind, start)
        except (Refusal, OAuthRefusal, Unreachable, NotHelpdesk) as problem:
            interval = _after(problem, interval)
            on_wait(f"{problem.message} Retrying in {interval:.0f} s.")
            continue
        interval = INTERVAL_SECONDS
        fresh = [entry for entry in window if entry["id"] not in seen and _place(entry) > oldest_wanted]
        for entry in sorted(fresh, key=_place):
            seen[entry["id"]] = entry["at"]
            if newest is None or _place(entry) > _place(newest):
                newest = entry
            yield entry
        if newest is not None:
            kept = newest["at"] - OVERLAP_MS - _SHARED_MS
            seen = {known: at for known, at in seen.items() if at >= kept}


def waiting(
    api: Api, name: str, *, sleep: Callable[[float], None], on_wait: Callable[[str], None], **filters: str
) -> Iterator[Object]:
    """Return the entries of a list that wait, oldest first, then every new one, forever.

    One that no longer waits and waits again is returned again. Polls and errors as `entries`.
    """
    seen: set[str] = set()
    interval = 0.0
    while True:
        sleep(interval)
        try:
            found = api.listed(name, name=name, limit=_EVERYTHING, **filters)[name]
        except (Refusal, OAuthRefusal, Unreachable, NotHelpdesk) as problem:
            if not interval:
                raise
            interval = _after(problem, interval)
            on_wait(f"{problem.message} Retrying in {interval:.0f} s.")
            continue
        interval = INTERVAL_SECONDS
        fresh = [one for one in found if one["id"] not in seen]
        seen = {one["id"] for one in found}
        yield from reversed(fresh)


def _since(api: Api, kind: str | None, start: int | None) -> list[Object]:
    params: dict[str, str | int | None] = {"kind": kind, "from": start}
    found: list[Object] = api.listed("logs", name="logs", limit=_EVERYTHING, **params)["logs"]
    return found


def _after(problem: Problem, interval: float) -> float:
    """Return how long to wait after a problem. Raises it if waiting does not help."""
    slower = min(interval * 2, LONGEST_INTERVAL_SECONDS)
    if isinstance(problem, (Refusal, OAuthRefusal)):
        if problem.status != 429 and problem.status < 500:
            raise problem
        return max(problem.retry_after or slower, 1.0)
    return slower


def _place(entry: Object) -> tuple[int, str]:
    return entry["at"], entry["id"]
