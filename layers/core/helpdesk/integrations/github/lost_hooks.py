"""Hooks that GitHub could not deliver. GitHub delivers none again by itself, so it is asked to.

GitHub Docs, "Handling failed webhook deliveries", and REST API endpoints for GitHub App webhooks. GitHub lists attempts
that failed, for three days. Each of them is followed by one request at most, and the requests for one hook become
rarer. A hook that arrived although its attempt counts as failed has a known id, and does nothing when it comes again.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import batched
from typing import Any

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.github import receiver
from helpdesk.integrations.github.app_identity import API, as_app, signed
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored

KEPT_MS = 3 * DAY_MS
"""How long GitHub keeps an attempt, and can deliver its hook again."""
WAITS_MS = (0, 10 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS)
"""How long after its first, second, … failure a hook is asked for again. After one more it is given up."""
ON_A_PAGE = 100
"""Attempts in a response, GitHub's most."""

_MAX_PAGES = 100
_FORBIDDEN = 403
_NEXT = re.compile(r'[?&]cursor=([\w%.~-]+)[^>]*>;\s*rel="next"')


class Attempt(Record):
    """An attempt that failed: its id, the id of its hook, when it was made (ms), and what the hook is about."""

    id: int
    guid: str
    at: int
    event: str


class HookAttempt(Stored):
    """That GitHub was asked to deliver a hook again after an attempt that failed, by its id of the attempt."""

    PK, SK = "HOOKATTEMPT#{app}#{attempt_id}", "ATTEMPT"
    app: App
    attempt_id: str
    expires_at: int


_followed = Collection(HookAttempt)


def ask_again(until: int) -> int:
    """Ask GitHub for the hooks that did not arrive, the oldest first, until an instant (ms); return how many.

    The next run goes on where GitHub refuses, or where the time is over. Without a GitHub App there is nothing to do.
    """
    app = credentials.of(App.GITHUB)
    if app is None:
        return 0
    count, token = 0, signed(app)  # for all of the run: signing takes longer than a request
    try:
        for attempt in _due(_failed(token, until)):
            if clock.now_ms() >= until:
                break
            _ask(token, attempt)
            count += 1
    except Unauthorized:
        logger.error("app_refused", extra={"app": App.GITHUB.value})
    except TryLater as later:
        logger.warning("hooks_not_asked_for", extra={"app": App.GITHUB.value, "reason": str(later)})
    return count


def _failed(token: str, until: int) -> list[Attempt]:
    """Return the attempts that failed while GitHub still can repeat them, the newest first."""
    found: list[Attempt] = []
    since, cursor = clock.now_ms() - KEPT_MS, ""
    for _ in range(_MAX_PAGES):
        reply = _sent(
            token,
            ServiceRequest(
                url=f"{API}/app/hook/deliveries?status=failure&per_page={ON_A_PAGE}"
                + (f"&cursor={cursor}" if cursor else "")
            ),
        )
        rows = [_attempt(each) for each in reply.json()] if reply.ok else []
        found += [each for each in rows if each.at >= since and each.event in receiver.EVENTS]
        following = _NEXT.search(reply.headers.get("link", ""))
        if following is None or not rows or rows[-1].at < since or clock.now_ms() >= until:
            break
        cursor = following[1]
    return found


def _due(failed: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts to follow by another one: the last ones of their hooks, whose time has come."""
    by_hook: defaultdict[str, list[Attempt]] = defaultdict(list)
    for each in sorted(failed, key=lambda each: (each.at, each.id)):
        by_hook[each.guid].append(each)
    now = clock.now_ms()
    waits = dict(enumerate(WAITS_MS, 1))
    waited = [
        (attempts[-1], len(attempts))
        for attempts in by_hook.values()
        if attempts[-1].at + waits.get(len(attempts), 0) <= now
    ]
    due: list[Attempt] = []
    for some in batched(waited, ON_A_PAGE, strict=False):
        followed = _followed.by_ids(App.GITHUB, ids=[str(attempt.id) for attempt, _ in some])
        for attempt, failures in some:
            if str(attempt.id) in followed:
                continue
            if failures in waits:
                due.append(attempt)
            else:
                logger.error("hook_given_up", extra={"delivery": attempt.guid, "event": attempt.event})
                _note_followed(attempt)
    return due


def _ask(token: str, attempt: Attempt) -> None:
    # Noted afterwards: a worker that dies in between asks twice, which does no harm.
    _sent(
        token,
        ServiceRequest(
            method="POST", url=f"{API}/app/hook/deliveries/{attempt.id}/attempts", repeatable=True
        ),
    )
    _note_followed(attempt)


def _note_followed(attempt: Attempt) -> None:
    """Note that an attempt needs no other one any more. One call."""
    key = HookAttempt.key_for(App.GITHUB, str(attempt.id))
    table.change(key, set={"expires_at": clock.seconds_from_now(KEPT_MS // SECOND_MS)}, or_new=True)


def _sent(token: str, wanted: ServiceRequest) -> ServiceReply:
    reply = as_app(token, wanted)
    if reply.status == _FORBIDDEN:
        raise TryLater("GitHub does not let the App see its deliveries")
    return reply


def _attempt(shown: dict[str, Any]) -> Attempt:
    at = round(datetime.fromisoformat(shown["delivered_at"]).timestamp() * 1_000)
    return Attempt(int(shown["id"]), str(shown["guid"]), at, str(shown["event"]))
