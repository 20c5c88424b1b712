"""The sentence model, without its repeated work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

from helpdesk.search.embeddings import minilm
from helpdesk.search.embeddings.embedder import Vectors


@contextmanager
def embedded_once() -> Iterator[None]:
    """Embed a text once in a process: its vectors depend on nothing else, and take longer than most tests."""
    read = minilm.outputs

    @cache
    def outputs(text: str) -> Vectors:
        found = read(text)
        found.setflags(write=False)
        return found

    with patch.object(minilm, "outputs", outputs):
        yield
