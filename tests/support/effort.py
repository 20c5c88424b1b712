"""How much is tried: little in `make test`, much in `make test-all`, which sets HELPDESK_TESTS=all."""

import os
from typing import Final

VARIABLE: Final = "HELPDESK_TESTS"
ALL: Final = "all"


def of(usual: int, everything: int) -> int:
    """Return how many seeds, interleavings or examples to try: the first number, or in the long form the second."""
    return everything if whole() else usual


def whole() -> bool:
    """Return whether this is the long form."""
    return os.environ.get(VARIABLE) == ALL
