"""The beginning of an ID in place of the whole, where it names one thing, as with Git's commits.

An ID is a prefix for the kind, such as `conv`, and 26 characters, of which the first ten are the time. A beginning is
looked up among the newest things of its kind before the request that names it. A whole ID costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from helpdesk_cli.problems import Problem
from helpdesk_cli.text import one_line

MOST = 1_000
"""How many things of a kind are looked through."""
_MOST_SHOWN = 10
_WHOLE_TIME = 10
"""With so many characters, only things of the same millisecond have the same beginning."""
_BEGINNING = re.compile(r"([a-z]+)_(0[0-9a-hjkmnp-tv-z]{3,24})")
_WHOLE = re.compile(r"([a-z]+)_[0-9a-hjkmnp-tv-z]{26}")
_NAMES = ("subject", "title", "name", "url", "tool", "email")


class _List(NamedTuple):
    """A list of the API: its path, the name of its entries, the longest page, and whether it is that of the archive."""

    path: tuple[str, ...]
    entries: str
    page: int = 200
    archived: bool = False


_LISTS = {
    "apr": (_List(("approvals",), "approvals"),),
    "conv": (
        _List(("conversations",), "conversations"),
        _List(("conversations",), "conversations", archived=True),
    ),
    "crawl": (_List(("knowledge", "crawls"), "crawls"),),
    "cus": (_List(("customers",), "customers"),),
    "doc": (_List(("knowledge", "documents"), "documents"),),
    "fold": (_List(("knowledge", "folders"), "folders"),),
    "inv": (_List(("invites",), "invites"),),
    "key": (_List(("keys",), "keys"),),
    "post": (_List(("board", "posts"), "posts"),),
    "reply": (_List(("replies",), "replies"),),
    "signal": (_List(("signals",), "signals"),),
    "sug": (_List(("knowledge", "suggestions"), "suggestions"),),
    "task": (_List(("tasks",), "tasks", page=100),),
    "team": (_List(("teams",), "teams"),),
    "tool": (_List(("tool-endpoints",), "toolEndpoints"),),
    "usr": (_List(("members",), "members"),),
    "wh": (_List(("webhooks",), "webhooks"),),
}
_NOT_PAGED = frozenset({"folders", "teams", "toolEndpoints", "webhooks"})

Get = Callable[..., "dict[str, Any]"]


def is_beginning(text: object) -> bool:
    """Return whether a text may be the beginning of an ID."""
    found = _BEGINNING.fullmatch(text) if isinstance(text, str) else None
    return found is not None and found[1] in _LISTS


def shortened(texts: Sequence[str]) -> list[str]:
    """Return texts, such as those of a column, with each ID cut to a beginning that no other ID among them has."""
    ids = {text for text in texts if (found := _WHOLE.fullmatch(text)) and found[1] in _LISTS}
    length = _WHOLE_TIME
    while len({_cut(one, length) for one in ids}) < len(ids):
        length += 1
    return [_cut(text, length) if text in ids else text for text in texts]


def _cut(whole_id: str, characters: int) -> str:
    return whole_id[: whole_id.index("_") + 1 + characters]


def whole(get: Get, text: str) -> str:
    """Return the ID that begins so, or the text if nothing does: the API then says what is not found.

    `get` is that of the API. Raises Problem if several IDs begin so, or more may.
    """
    kind, _, characters = text.partition("_")
    found: dict[str, str] = {}
    is_complete = True
    for each in _LISTS[kind]:
        entries, ends = _newest(get, each)
        is_complete = is_complete and ends
        found |= {one: label for one, label in entries if one.startswith(text)}
    if len(found) > 1:
        shown = [f"  {one}  {label}".rstrip() for one, label in list(found.items())[:_MOST_SHOWN]]
        more = [f"  and {len(found) - _MOST_SHOWN} more"] if len(found) > _MOST_SHOWN else []
        raise Problem(f"{len(found)} IDs begin with {text}. Give more of it:", "\n".join([*shown, *more]))
    if not is_complete and len(characters) < _WHOLE_TIME:
        raise Problem(
            f"{text} is too short: only the newest {MOST:,} are looked through.",
            f"Give at least {_WHOLE_TIME} characters after {kind}_, or the whole ID.",
        )
    return next(iter(found), text)


def _newest(get: Get, wanted: _List) -> tuple[list[tuple[str, str]], bool]:
    """Return the newest things of a list as ID and name, and whether these are all."""
    found: list[tuple[str, str]] = []
    for page in _pages(get, wanted):
        found += [(_id_of(one), _label(one)) for one in page[wanted.entries]]
        if page.get("nextCursor") is None:
            return found, True
        if len(found) >= MOST:
            break
    return found, False


def _pages(get: Get, wanted: _List) -> Iterator[dict[str, Any]]:
    paging: dict[str, Any] = {} if wanted.entries in _NOT_PAGED else {"limit": wanted.page}
    if wanted.archived:
        paging["archived"] = "true"
    while True:
        page = get(*wanted.path, **paging)
        yield page
        paging["cursor"] = page.get("nextCursor")


def _id_of(one: dict[str, Any]) -> str:
    return str(one["userId"] if "userId" in one else one["id"])


def _label(one: dict[str, Any]) -> str:
    return one_line(next((one[name] for name in _NAMES if one.get(name)), ""))
