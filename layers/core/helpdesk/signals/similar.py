"""Signals with a similar title, by sentence vectors: a synonym is found where no word is the same.

Each title's vector is an item of its own, one byte for each dimension, which the signal worker writes. A search is one
query of at most 1 MB: it compares the title with those of the newest 1,500 signals, so its cost is bounded. A signal
that was merged keeps its vector, and stands for the one that it was merged into.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.embedder import Embedder, embedder
from helpdesk.signals import repository, service, titles
from helpdesk.signals.record import Signal, TitleVector

if TYPE_CHECKING:
    from helpdesk.search.embeddings.embedder import Vectors

MAX_SIMILAR = 5
_COMPARED = 1_500
_FOUND = 20
_SIMILAR = 0.35
"""The least similarity. Of 22 pairs of titles it takes all ten that mean the same, and three of the others."""
_SCALE = 127


class Near(NamedTuple):
    """A signal, and how similar its title is: up to 1, and 1 for the very title."""

    signal: Signal
    similarity: float


def find(organization: str, title: str) -> list[Signal]:
    """Return up to five living signals with a similar title, the most similar first. Costs and raises as `near`."""
    return [each.signal for each in near(organization, title)]


def near(organization: str, title: str) -> list[Near]:
    """Return up to five living signals with a similar title, with the similarity, the most similar first.

    The signal that has this very title or alias comes first. Costs the title's vector, a query, and a read of what was
    found. Vectors of the last seconds may be missing. Raises EmbeddingFailed, InvalidRequest for a title too long.
    """
    line = titles.stored(title)
    if not line:
        return []
    model = embedder(settings().embedding_model_id)
    page = repository.vectors.page(organization, limit=_COMPARED, newest_first=True)
    known = [each for each in page.records if each.kind == model.kind]
    owners = repository.owners(organization, [line])
    found = dict.fromkeys(owners.values(), 1.0)
    for signal_id, similarity in _nearest(model, line, known) if known else []:
        found.setdefault(signal_id, similarity)
    return _living(organization, found)


def note(organization: str, signal_id: str) -> str:
    """Compute the vector of a signal's present title; return the outcome, for the log.

    A later title's vector is not overwritten. Raises EmbeddingFailed.
    """
    signal = repository.signals.find(organization, signal_id)
    if signal is None or signal.merged_into is not None:
        return "gone"
    return _note(signal)


def renew(organization: str, until: int) -> bool:
    """Compute the vectors that are missing, or of another model than the one that is set; return whether none is left.

    Of the signals that a search compares. Those that were merged into another have theirs renewed as well. Stops at the
    instant `until` (ms); it may be repeated, and continues with what is left. Raises EmbeddingFailed.
    """
    kind = embedder(settings().embedding_model_id).kind
    known = repository.vector_kinds(organization, _COMPARED)
    for signal_id in dict.fromkeys([*_newest(organization), *known]):
        if known.get(signal_id) == kind:
            continue
        if clock.now_ms() >= until:
            return False
        signal = repository.signals.find(organization, signal_id)
        if signal is not None:
            _note(signal)
    return True


def _newest(organization: str) -> list[str]:
    """Return the ids of the signals that a search compares, without merged ones. One query for each 1 MB."""
    found: list[str] = []
    before: str | None = None
    while len(found) < _COMPARED:
        page, before = service.ids_before(organization, before, _COMPARED - len(found))
        found += page
        if before is None:
            break
    return found


def _note(signal: Signal) -> str:
    model = embedder(settings().embedding_model_id)
    vector = _bytes(model.passages([signal.title]))
    new = TitleVector(signal.organization, signal.id, model.kind, vector, signal.version)
    return "noted" if repository.put_vector(new) else "outdated"


def _nearest(model: Embedder, title: str, known: Sequence[TitleVector]) -> list[tuple[str, float]]:
    import numpy as np  # noqa: PLC0415 - of the functions that search alone

    asked = model.question(title)
    rows = np.frombuffer(b"".join(each.vector for each in known), dtype=np.int8)
    scores = rows.reshape(len(known), -1).astype(np.float32) @ asked / _SCALE
    order = np.argsort(-scores, kind="stable")[:_FOUND]
    return [
        (known[int(place)].signal_id, float(scores[place])) for place in order if scores[place] >= _SIMILAR
    ]


def _living(organization: str, similarities: Mapping[str, float]) -> list[Near]:
    known = repository.signals.by_ids(organization, ids=similarities, consistent=False)
    found: dict[str, Near] = {}
    for signal_id, similarity in similarities.items():
        each = known.get(signal_id)
        if each is not None and each.merged_into is not None:
            each = service.survivor(organization, each.merged_into)
        if each is not None:
            found.setdefault(each.id, Near(each, similarity))
        if len(found) == MAX_SIMILAR:
            break
    return list(found.values())


def _bytes(vectors: "Vectors") -> bytes:
    import numpy as np  # noqa: PLC0415 - of the functions that search alone

    scaled: bytes = np.rint(vectors[0] * _SCALE).astype(np.int8).tobytes()
    return scaled
