"""The features of a section as an answer to a question: ten numbers from 0 to about 1."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.terms import Corpus, Term, rarity, words_of
from helpdesk.platform.frozen_record import FrozenRecord

BODY_SHARE = 0.7  # of a term that is in the text, but in neither heading nor title
BEST_OF_DOCUMENT = 3  # sections of a document that count for it
NEAR = 4  # the most words between two neighbors of the question that still belong together
WEIGHT_UNIT = 10.0  # scales sums of weights to about 1: the weight of about three important words

_SENTENCE = re.compile(r"\n\s*\n|(?<=[.!?:])\s+|\n(?=[-*|] ?)")
_NAME = re.compile(r"\b\w*(?:[a-z][A-Z]|_|[A-Za-z]\d|\d[A-Za-z])\w*\b")


class Features(FrozenRecord):
    """The features of a section.

    Shares of the weight of the question's terms: `sentence` is the largest share that a single sentence, table row or
    heading of the section holds, `exact` the share that the section holds without synonyms, and `exact_sentence` the
    largest share that a sentence holds without synonyms. `unknown` is the share of terms that no document has.

    Sums of weights: `held` and `missing` are what the section holds and lacks, because three matches say more than one.

    Other shares: `near` is the share of neighboring terms that are also near each other in the section, `asked` the
    share of its heading that the question holds, and `names` the share of names such as `api_limit_reached` that it
    holds literally. `document` compares the BM25 scores of the document's best sections with those of the best
    document.
    """

    sentence: float
    asked: float
    document: float
    names: float
    exact: float
    exact_sentence: float
    near: float
    held: float
    missing: float
    unknown: float


class SectionTerms:
    """The terms of a section: those of title and heading, and those of each sentence and the heading."""

    def __init__(self, corpus: Corpus, hit: Hit) -> None:
        heading = corpus.terms(hit.heading or hit.title)
        texts = [corpus.terms(text) for text in _SENTENCE.split(hit.text)]
        self.above = {*corpus.terms(hit.title), *heading}
        self.body = {term for text in texts for term in text}
        self.sentences = [*texts, heading]

    @cached_property
    def positions(self) -> list[dict[str, list[int]]]:
        """The positions of each term, for each sentence."""
        found: list[dict[str, list[int]]] = []
        for sentence in self.sentences:
            positions: dict[str, list[int]] = {}
            for position, term in enumerate(sentence):
                positions.setdefault(term, []).append(position)
            found.append(positions)
        return found

    def share(self, forms: Mapping[str, float]) -> float:
        """Return how much of a term the section holds, given its forms with their shares."""
        return max(
            share * (1.0 if form in self.above else BODY_SHARE if form in self.body else 0.0)
            for form, share in forms.items()
        )


def features_of(corpus: Corpus, question: str, terms: Sequence[Term], hits: Sequence[Hit]) -> list[Features]:
    """Return the features of each section."""
    names = {name.lower() for name in _NAME.findall(question)}
    forms = {form for term in terms for form in term.alternatives}
    total = sum(term.weight for term in terms) or 1.0
    unknown = sum(term.weight for term in terms if not any(map(corpus.frequency, term.alternatives))) / total
    documents = _documents(hits)
    found: list[Features] = []
    for hit in hits:
        section = SectionTerms(corpus, hit)
        shares = [section.share(term.alternatives) for term in terms]
        found.append(
            Features(
                sentence=max(_held(terms, positions) for positions in section.positions) / total,
                asked=_asked(corpus, forms, hit),
                document=documents[hit.document_id],
                names=_named(names, hit),
                exact=sum(term.weight * section.share({term.text: 1.0}) for term in terms) / total,
                exact_sentence=max(
                    sum(term.weight for term in terms if term.text in positions)
                    for positions in section.positions
                )
                / total,
                near=_near(terms, section),
                held=sum(term.weight * share for term, share in zip(terms, shares, strict=True))
                / WEIGHT_UNIT,
                missing=sum(term.weight for term, share in zip(terms, shares, strict=True) if not share)
                / WEIGHT_UNIT,
                unknown=unknown,
            )
        )
    return found


def _documents(hits: Sequence[Hit]) -> dict[str, float]:
    """Return the summed BM25 scores of each document's best sections, as a share of the best document's sum."""
    scores: dict[str, list[float]] = {}
    for hit in hits:
        scores.setdefault(hit.document_id, []).append(hit.score)
    sums = {
        document: sum(sorted(found, reverse=True)[:BEST_OF_DOCUMENT]) for document, found in scores.items()
    }
    best = max(sums.values(), default=0.0) or 1.0
    return {document: value / best for document, value in sums.items()}


def _held(terms: Sequence[Term], positions: Mapping[str, object]) -> float:
    """Return the weight of the terms that a sentence holds."""
    return sum(
        term.weight
        * max((share for form, share in term.alternatives.items() if form in positions), default=0.0)
        for term in terms
    )


def _near(terms: Sequence[Term], section: SectionTerms) -> float:
    """Return the weighted share of neighbors in the question that are near each other in a sentence."""
    total = held = 0.0
    for one, other in pairwise(terms):
        weight = min(one.weight, other.weight)
        total += weight
        if any(_adjacent(one, other, positions) for positions in section.positions):
            held += weight
    return held / total if total else 0.0


def _adjacent(one: Term, other: Term, positions: Mapping[str, list[int]]) -> bool:
    left = [position for form in one.alternatives for position in positions.get(form, ())]
    if not left:
        return False
    right = [position for form in other.alternatives for position in positions.get(form, ())]
    return any(0 < abs(a - b) <= NEAR for a in left for b in right)


def _asked(corpus: Corpus, forms: set[str], hit: Hit) -> float:
    """Return the weighted share of the heading, or of the title if there is none, that the question holds."""
    heading = hit.heading.rpartition(HEADING_SEPARATOR)[2] or hit.title
    total = held = 0.0
    for text in {text for word in words_of(heading) for text in corpus.terms(word)}:
        weight = rarity(corpus, text)
        total += weight
        held += weight if text in forms else 0.0
    return held / total if total else 0.0


def _named(names: set[str], hit: Hit) -> float:
    """Return the share of names that a section holds literally."""
    if not names:
        return 0.0
    text = f"{hit.title}\n{hit.heading}\n{hit.text}".lower()
    return sum(name in text for name in names) / len(names)
