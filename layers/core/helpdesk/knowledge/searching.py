"""Search for documents: every one that holds all words, and those that are about the same.

A word is held wherever it is in a document: in its title, an alias, a heading, the text or code. The last word of a
search may be unfinished. Confidence decides about the order, and about what is found without the words, but hides no
document that has them. The best come in the order of the retriever: for questions, a document about the same is the
right one more often than one that happens to have all words.
"""

from collections.abc import Collection, Sequence
from copy import replace
from functools import cached_property

from helpdesk.knowledge import index_kinds, language, repository, retrieval, spelling
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import Passage
from helpdesk.knowledge.search_words import SearchWord
from helpdesk.knowledge.snippets import Piece, marked
from helpdesk.knowledge.stopwords import ABBREVIATIONS
from helpdesk.knowledge.terms import subject_of
from helpdesk.search.embeddings.embedder import Embedder
from helpdesk.search.terms import Word, is_one_character, words_of

MOST_WORDS = 20
"""The most words of a search; the rest is ignored."""

LISTED_SCORE = 0.02
"""The least confidence at which a document without the words is listed. A quote in an answer needs 0.5.

Of 78 questions that a document answers, it lists that document for 67 (with 0.1 for 55), among two on average.
"""

FITTING_SCORE = 0.1
"""The least confidence at which a document may be what was meant."""

_PROPOSED = 20
"""The most documents that are found by their meaning."""


class Search:
    """What a search finds. `others` are documents that it lists although the index may lack them."""

    def __init__(
        self,
        corpus: IndexSearcher | None,
        words: Sequence[SearchWord],
        passages: Sequence[Passage],
        others: Sequence[str] = (),
    ) -> None:
        self._corpus = corpus
        self._words = words
        self._passages = {passage.document_id: passage for passage in passages}
        self._others = others

    @property
    def total(self) -> int:
        """How many documents it finds."""
        return len(self._first) + self._rest + len(self._last)

    @property
    def fits(self) -> bool:
        """Whether it finds anything that may be what was meant: not only words that are far apart in a document."""
        if self._last or any(passage.score >= FITTING_SCORE for passage in self._passages.values()):
            return True
        return self._with_words > 0 and self._corpus is not None and self._corpus.has_together(self._words)

    def documents(self, skip: int, limit: int) -> list[str]:
        """Return the ids of up to `limit` documents after the first `skip`."""
        found = self._first[skip : skip + limit]
        at = skip + len(found) - len(self._first)
        if len(found) < limit and at < self._rest and self._corpus is not None:
            rest = self._corpus.without(self._first)
            found += rest.documents_with(self._words, limit - len(found), at)[0]
            at = skip + len(found) - len(self._first)
        behind = max(0, at - self._rest)
        return found + self._last[behind : behind + limit - len(found)]

    def excerpt(self, document_id: str) -> list[Piece]:
        """Return the passage of a document that fits best, as text, with the words that were found marked."""
        passage = self._passages.get(document_id)
        if self._corpus is not None and (passage is None or document_id in self._held):
            section = self._corpus.best_section(document_id, self._words)
            if section is not None:
                return marked(section.text, self._words, section.language)
        return [] if passage is None else marked(passage.excerpt, self._words, language.ENGLISH)

    def holding(self, document_ids: Collection[str]) -> set[str]:
        """Return those of some documents that hold all words."""
        if self._corpus is None or not document_ids:
            return set()
        return set(self._corpus.among(document_ids).documents_with(self._words, len(document_ids))[0])

    @cached_property
    def _held(self) -> set[str]:
        return self.holding(self._passages)

    @cached_property
    def _first(self) -> list[str]:
        """Documents in the order of the retriever: those with the words, and those that it is confident of."""
        return [
            document_id
            for document_id, passage in self._passages.items()
            if document_id in self._held or passage.score >= LISTED_SCORE
        ]

    @cached_property
    def _with_words(self) -> int:
        return 0 if self._corpus is None else self._corpus.documents_with(self._words, 0)[1]

    @property
    def _rest(self) -> int:
        """How many documents with the words come after the first ones."""
        return self._with_words - len(self._held)

    @cached_property
    def _last(self) -> list[str]:
        """Documents that the index does not find."""
        known = {*self._first, *self.holding(self._others)}
        return [document_id for document_id in self._others if document_id not in known]


def find(
    organization: str, text: str, *, among: Collection[str] | None = None, others: Sequence[str] = ()
) -> Search:
    """Search an organization's documents, or `among` some of them.

    `others` are documents that are listed after those with the words, as the index may lack them. Calls: those of
    `retrieval.find`. Raises IndexTooLarge, Conflict.
    """
    deleted = repository.deleted(organization)  # before the index, as it says there
    chosen = index_kinds.answering(organization)
    corpus = chosen.index.reader
    if corpus is None:
        return Search(None, (), (), others)
    present = corpus.without(deleted)
    return search(present if among is None else present.among(among), text, chosen.model, others)


def search(corpus: IndexSearcher, text: str, model: Embedder, others: Sequence[str] = ()) -> Search:
    """Search a corpus. Typing errors are corrected where no document has all words as they were typed."""
    words = sought(text, corpus)
    if not corpus.documents_with(words, 0)[1]:
        spoken = language.language_of(text, corpus.languages)
        words = sought(spelling.corrected(corpus, text, spoken), corpus)
    return Search(corpus, words, retrieval.search(corpus, text, model, limit=_PROPOSED), others)


def find_begun(organization: str, text: str, *, among: Collection[str], limit: int) -> list[str]:
    """Return documents that hold all words of a text that someone is typing, best first. One call.

    Deleted documents may be among them. Raises IndexTooLarge, Conflict.
    """
    corpus = index_kinds.answering(organization).index.reader
    if corpus is None:
        return []
    return corpus.among(among).documents_with(sought(text, corpus, is_typed=True), limit)[0]


def sought(text: str, corpus: IndexSearcher, *, is_typed: bool = False) -> list[SearchWord]:
    """Return the words to look for: all but stop words, where there are others.

    The last word may be unfinished, unless something follows it. While someone types it may become any word, so that
    it is none of the stop words yet.
    """
    spoken = language.language_of(text, corpus.languages)
    rest, _, last = text.rpartition(" ")
    is_unfinished = last[-1:].isalnum()
    if not is_unfinished:
        rest, last = text, ""
    before = list(words_of(subject_of(rest, spoken)))
    ending = list(words_of(last if is_typed or not before else subject_of(last, spoken)))
    if not before and not ending:
        before = list(words_of(rest))
    found = {word: _search_word(word, corpus.languages) for word in [*before, *ending][:MOST_WORDS]}
    if ending and ending[-1] in found:
        typed = list(words_of(last))[-1].whole
        found[ending[-1]] = replace(found[ending[-1]], beginning=typed)
    return list(found.values())


def _search_word(word: Word, languages: Sequence[str]) -> SearchWord:
    return SearchWord(
        forms=() if word.whole is None else _forms(word.whole, languages),
        parts=tuple(_forms(part, languages) for part in word.parts),
        beginning=word.whole if is_one_character(word) else None,
    )


def _forms(word: str, languages: Sequence[str]) -> tuple[str, ...]:
    """Return what stands for a word: as it is written, what is short for it, and its stem in each language."""
    short = (each for each, long in ABBREVIATIONS.items() if long == word)
    stems = (language.stem(word, each) for each in languages)
    return tuple(dict.fromkeys([word, *short, *stems]))
