"""Attributes that mean the same on items of several nouns."""

from typing import Final

BEING_ERASED: Final = "erasing"
"""On a customer or a conversation that is being erased: the id of the erasure. Readers treat the item as gone."""
