"""What the pages of the feedback board read together with their site."""

import re
from collections.abc import Mapping, Sequence

from helpdesk.storage.stored import Key

LEADING_NUMBER = re.compile(r"([1-9][0-9]{0,14})(?:-.*)?", re.DOTALL)
"""A post's place in an address: its number, and the words of its title, which decide nothing."""


def settings_key(organization: str, _: Mapping[str, str]) -> Sequence[Key]:
    """Return the key of the board's settings, which each page reads together with the site."""
    from helpdesk.board.settings import BoardSettings  # noqa: PLC0415 - of the board's pages alone

    return [BoardSettings.key_for(organization)]


def post_keys(organization: str, values: Mapping[str, str]) -> Sequence[Key]:
    """Return the keys of the board's settings and of a post's number."""
    from helpdesk.board.record import PostNumber  # noqa: PLC0415 - of the board's pages alone

    found = LEADING_NUMBER.fullmatch(values.get("post", ""))
    number = [PostNumber.key_for(organization, found[1])] if found is not None else []
    return [*settings_key(organization, values), *number]
