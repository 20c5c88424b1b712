"""The sentence model, without its repeated work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

from helpdesk.search.embeddings.embedder import Vectors
from helpdesk.search.embeddings.minilm import MiniLm


@contextmanager
def embedded_once() -> Iterator[None]:
    """Embed a text once in a process: its vector depends on nothing else, and takes longer than most tests."""
    embed = MiniLm.question

    @cache
    def vector(text: str) -> Vectors:
        found = embed(MiniLm(), text)
        found.setflags(write=False)
        return found

    with patch.object(MiniLm, "question", lambda _, text: vector(text)):
        yield
