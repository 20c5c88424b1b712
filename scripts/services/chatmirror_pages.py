"""Pages of messages as the stand-in of Slack answers them, oldest first."""

from collections.abc import Mapping, Sequence
from typing import Any


def page(
    found: Sequence[Mapping[str, Any]], given: Mapping[str, Any], most: int, *, always: str = ""
) -> dict[str, Any]:
    """Return a page of the messages between two time stamps, and of one that is there whatever its time stamp is."""
    oldest, latest = float(given.get("oldest", 0)), float(given.get("latest", "inf"))
    found = [each for each in found if each["ts"] == always or oldest < float(each["ts"]) < latest]
    if given.get("include_all_metadata") != "true":
        found = [{name: each[name] for name in each if name != "metadata"} for each in found]
    begin, size = int(given.get("cursor") or 0), min(most, int(given.get("limit", 100)))
    more = begin + size < len(found)
    following = {"next_cursor": str(begin + size)} if more else {}
    return {"messages": found[begin : begin + size], "has_more": more, "response_metadata": following}
