"""What the pages of the feedback board read together with their site."""

import re
from collections.abc import Mapping, Sequence

from helpdesk.storage import keys
from helpdesk.storage.keys import ItemKey

LEADING_NUMBER = re.compile(r"([1-9][0-9]{0,14})(?:-.*)?", re.DOTALL)
"""A post's place in an address: its number, and the words of its title, which decide nothing."""


def settings_key(organization: str, _: Mapping[str, str]) -> Sequence[ItemKey]:
    """Return the key of the board's settings, which each page reads together with the site."""
    return [keys.Board(organization)]


def post_keys(organization: str, values: Mapping[str, str]) -> Sequence[ItemKey]:
    """Return the keys of the board's settings and of a post's number."""
    found = LEADING_NUMBER.fullmatch(values.get("post", ""))
    number = [keys.PostNumber(organization, found[1])] if found is not None else []
    return [keys.Board(organization), *number]
