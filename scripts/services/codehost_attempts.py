"""What the stand-in of GitHub remembers of hooks that did not arrive, and how it delivers them again.

GitHub lists attempts to the App itself, the newest first, and keeps them for three days.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from scripts.services.codehost_people import NOT_FOUND
from scripts.services.codehost_shapes import API, iso
from scripts.services.server import Asked, Said

if TYPE_CHECKING:
    from scripts.services.codehost import CodeHost

KEPT_SECONDS = 3 * 86_400


@dataclass(frozen=True)
class Attempt:
    """An attempt that failed: how GitHub lists it, and what it sent."""

    row: Mapping[str, Any]
    headers: Mapping[str, str]
    body: str


def failed(
    host: "CodeHost", headers: Mapping[str, str], body: str, installation_id: int | None = None
) -> Attempt:
    """Note that a hook was sent and did not arrive; return the attempt."""
    guid = headers["x-github-delivery"]
    row = {
        "id": 70_000 + host.next_number(),
        "guid": guid,
        "delivered_at": iso(host.clock()),
        "redelivery": any(each.row["guid"] == guid for each in host.attempts),
        "duration": 10.0,
        "status": "timed out",
        "status_code": 504,
        "event": headers["x-github-event"],
        "action": None,
        "installation_id": installation_id,
        "repository_id": None,
    }
    made = Attempt(row, dict(headers), body)
    host.attempts.append(made)
    return made


def listed(host: "CodeHost", asked: Asked) -> Said:
    """List attempts, the newest first. This GitHub remembers those alone that failed."""
    if not host.is_the_app(asked):
        return Said(401, {"message": "A JSON web token could not be decoded"})
    kept = [each.row for each in host.attempts if _is_kept(host, each)]
    rows = sorted(kept, key=lambda row: int(row["id"]), reverse=True)
    if asked.query.get("status") == "success":
        rows = []
    size, begin = int(asked.query.get("per_page", 30)), int(asked.query.get("cursor", "v1_0")[3:])
    link = {}
    if begin + size < len(rows):
        query = urlencode({**asked.query, "cursor": f"v1_{begin + size}"})
        link = {"link": f'<{API}/app/hook/deliveries?{query}>; rel="next"'}
    return Said(200, rows[begin : begin + size], headers=link)


def repeat(host: "CodeHost", asked: Asked, number: str) -> Said:
    """Deliver the hook of an attempt again."""
    if not host.is_the_app(asked):
        return Said(401, {"message": "A JSON web token could not be decoded"})
    found = next((each for each in host.attempts if each.row["id"] == int(number)), None)
    if found is None or not _is_kept(host, found):
        return NOT_FOUND
    host.on_repeat(found.headers, found.body)
    return Said(202, {})


def _is_kept(host: "CodeHost", attempt: Attempt) -> bool:
    at = datetime.fromisoformat(str(attempt.row["delivered_at"])).timestamp()
    return host.clock() - at < KEPT_SECONDS
