"""What speaks for a section as the answer to a question, in ten numbers, from 0 to about 1."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.terms import Corpus, Term, rarity, words_of

BODY_SHARE = 0.7  # what a term counts that is in the text, but in neither heading nor title
BEST_OF_DOCUMENT = 3  # so many of a document's sections speak for it
NEAR = 4  # so many words apart, two words that were asked one after the other still belong together
WEIGHT_UNIT = 10.0  # by which the sums of weights come near 1: about the weight of three telling words

_SENTENCE = re.compile(r"\n\s*\n|(?<=[.!?:])\s+|\n(?=[-*|] ?)")
_NAME = re.compile(r"\b\w*(?:[a-z][A-Z]|_|[A-Za-z]\d|\d[A-Za-z])\w*\b")


@dataclass(frozen=True, slots=True)
class Features:
    """What speaks for a section.

    Of the weight of the question's terms: `sentence` is the share that one sentence or row of the section, or its
    heading, holds by itself, `exact` the share that the section holds in the very words, `exact_sentence` both,
    `unknown` the share of terms that no document has at all. `held` and `missing` are how much the section holds and
    lacks, not as a share: three words found say more than one. `near` is the share of neighbouring terms that are near
    each other in it too, `asked` the share of its heading that the question holds, `names` the share of names such as
    `api_limit_reached` that it holds to the letter. `document` is how well BM25 likes the document's best sections
    beside those of the best document.
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


class Read:
    """A section taken apart into terms: those above its text, and those of each sentence, the heading among them."""

    def __init__(self, corpus: Corpus, hit: Hit) -> None:
        heading = corpus.terms(hit.heading or hit.title)
        texts = [corpus.terms(text) for text in _SENTENCE.split(hit.text)]
        self.above = {*corpus.terms(hit.title), *heading}
        self.body = {term for text in texts for term in text}
        self.sentences = [*texts, heading]

    @cached_property
    def places(self) -> list[dict[str, list[int]]]:
        """Where each term stands, for each sentence."""
        found: list[dict[str, list[int]]] = []
        for sentence in self.sentences:
            places: dict[str, list[int]] = {}
            for place, term in enumerate(sentence):
                places.setdefault(term, []).append(place)
            found.append(places)
        return found

    def share(self, forms: Mapping[str, float]) -> float:
        """Return how far a term counts as held, given its forms with their shares."""
        return max(
            share * (1.0 if form in self.above else BODY_SHARE if form in self.body else 0.0)
            for form, share in forms.items()
        )


def features_of(corpus: Corpus, question: str, terms: Sequence[Term], hits: Sequence[Hit]) -> list[Features]:
    """Return what speaks for each section."""
    names = {name.lower() for name in _NAME.findall(question)}
    forms = {form for term in terms for form in term.alternatives}
    total = sum(term.weight for term in terms) or 1.0
    unknown = sum(term.weight for term in terms if not any(map(corpus.frequency, term.alternatives))) / total
    documents = _documents(hits)
    found: list[Features] = []
    for hit in hits:
        read = Read(corpus, hit)
        shares = [read.share(term.alternatives) for term in terms]
        found.append(
            Features(
                sentence=max(_held(terms, places) for places in read.places) / total,
                asked=_asked(corpus, forms, hit),
                document=documents[hit.document_id],
                names=_named(names, hit),
                exact=sum(term.weight * read.share({term.text: 1.0}) for term in terms) / total,
                exact_sentence=max(
                    sum(term.weight for term in terms if term.text in places) for places in read.places
                )
                / total,
                near=_near(terms, read),
                held=sum(term.weight * share for term, share in zip(terms, shares, strict=True))
                / WEIGHT_UNIT,
                missing=sum(term.weight for term, share in zip(terms, shares, strict=True) if not share)
                / WEIGHT_UNIT,
                unknown=unknown,
            )
        )
    return found


def _documents(hits: Sequence[Hit]) -> dict[str, float]:
    """Return how well BM25 likes each document's best sections, as a share of the best document's."""
    scores: dict[str, list[float]] = {}
    for hit in hits:
        scores.setdefault(hit.document_id, []).append(hit.score)
    sums = {
        document: sum(sorted(found, reverse=True)[:BEST_OF_DOCUMENT]) for document, found in scores.items()
    }
    best = max(sums.values(), default=0.0) or 1.0
    return {document: value / best for document, value in sums.items()}


def _held(terms: Sequence[Term], places: Mapping[str, object]) -> float:
    """Return the weight of the terms that a sentence holds."""
    return sum(
        term.weight * max((share for form, share in term.alternatives.items() if form in places), default=0.0)
        for term in terms
    )


def _near(terms: Sequence[Term], read: Read) -> float:
    """Return the weighted share of neighbours in the question that stand near each other in a sentence."""
    total = held = 0.0
    for one, other in pairwise(terms):
        weight = min(one.weight, other.weight)
        total += weight
        if any(_meet(one, other, places) for places in read.places):
            held += weight
    return held / total if total else 0.0


def _meet(one: Term, other: Term, places: Mapping[str, list[int]]) -> bool:
    left = [place for form in one.alternatives for place in places.get(form, ())]
    if not left:
        return False
    right = [place for form in other.alternatives for place in places.get(form, ())]
    return any(0 < abs(a - b) <= NEAR for a in left for b in right)


def _asked(corpus: Corpus, forms: set[str], hit: Hit) -> float:
    """Return the weighted share of a heading (the title, where there is none) that the question holds."""
    heading = hit.heading.rpartition(HEADING_SEPARATOR)[2] or hit.title
    total = held = 0.0
    for text in {text for word in words_of(heading) for text in corpus.terms(word)}:
        weight = rarity(corpus, text)
        total += weight
        held += weight if text in forms else 0.0
    return held / total if total else 0.0


def _named(names: set[str], hit: Hit) -> float:
    """Return the share of names that a section holds to the letter."""
    if not names:
        return 0.0
    text = f"{hit.title}\n{hit.heading}\n{hit.text}".lower()
    return sum(name in text for name in names) / len(names)
