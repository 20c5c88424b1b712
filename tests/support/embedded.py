"""The sentence models, without their repeated work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

from helpdesk.search.embeddings.embedder import Vectors
from helpdesk.search.embeddings.minilm import MiniLm
from helpdesk.search.embeddings.multilingual import Multilingual


@contextmanager
def embedded_once() -> Iterator[None]:
    """Embed a text once in a process: its vector depends on nothing else, and takes longer than most tests.

    The multilingual model embeds the texts of a document together, so those are kept together.
    """
    question, passages = MiniLm.question, Multilingual.passages

    @cache
    def vector(text: str) -> Vectors:
        return _kept(question(MiniLm(), text))

    @cache
    def vectors(texts: tuple[str, ...]) -> Vectors:
        return _kept(passages(Multilingual(), texts))

    with (
        patch.object(MiniLm, "question", lambda _, text: vector(text)),
        patch.object(Multilingual, "passages", lambda _, texts: vectors(tuple(texts))),
    ):
        yield


def _kept(found: Vectors) -> Vectors:
    found.setflags(write=False)
    return found
