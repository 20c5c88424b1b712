"""The members of the organization: by ID, e-mail address or name, and their names."""

from __future__ import annotations

from collections.abc import Iterable

from helpdesk_cli.api import Api, Object
from helpdesk_cli.problems import Problem

_MOST = 10_000
"""How many members are looked through for an e-mail address."""

_MOST_FOR_NAMES = 1_000
"""How many members are looked through for names, which a table can do without."""


def member_id(api: Api, who: str) -> str:
    """Return the user ID of a member by ID, e-mail address or name. An ID is not looked up. Raises Problem."""
    if who.startswith("usr_"):
        return who
    wanted = who.strip().casefold()
    found = [one for one in _all(api, _MOST) if wanted in {one["email"].casefold(), one["name"].casefold()}]
    if len(found) == 1:
        return str(found[0]["userId"])
    listing = "List the members: helpdesk members list"
    if found:
        raise Problem(f"{len(found)} members are called {who}. Give an e-mail address or ID.", listing)
    raise Problem(f"No member has the {'e-mail address' if '@' in who else 'name or ID'} {who}.", listing)


def names(api: Api, user_ids: Iterable[str | None]) -> dict[str, str]:
    """Return the names of members by ID, without those who have left. Names are optional: an error returns none."""
    wanted = {one for one in user_ids if one is not None}
    found: dict[str, str] = {}
    if not wanted:
        return found
    try:
        for member in _all(api, _MOST_FOR_NAMES):
            if member["userId"] in wanted:
                found[member["userId"]] = member["name"]
            if len(found) == len(wanted):
                break
    except Problem:
        return found
    return found


def _all(api: Api, limit: int) -> Iterable[Object]:
    for page in api.pages("members", name="members", limit=limit):
        yield from page["members"]
