"""The indexes of an organization: one for each kind of vectors, of which one is in use.

While a deployment keeps its model, there is one index. After a change of `EmbeddingModelId` the index of the new kind
is made beside the old one, which goes on answering. Documents that change meanwhile are written to both. When the new
one has every document, it is marked as whole, and the old one is removed.
"""

from collections.abc import Iterator
from copy import replace
from typing import Literal

from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.knowledge.index import VERSION, KnowledgeIndex, edit_of, index_of, prefix_of
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.embedder import Embedder, embedder
from helpdesk.search.s3_index import store
from helpdesk.search.s3_index.manifest import OWNERS_NOTE


class ReindexJob(JobBody, omit_defaults=False):
    """An instruction to index an organization's documents for the model that is set: those older than the id `before`.

    A job does what it has time for and hands the rest on to the next `turn` of the same `run`. `reindex` sets it apart
    from the other jobs of the queue.
    """

    organization: str
    run: str
    turn: int = 1
    before: str | None = None
    reindex: Literal[True] = True

    def to_job(self) -> Job:
        """Return the job for the outbox."""
        return Job(JobQueue.KNOWLEDGE, self.to_body())

    @property
    def id(self) -> str:
        """The ID of its message, so that a worker that is repeated adds no second one."""
        return f"reindex.{self.run}.{self.turn}"

    def rest(self, before: str | None) -> "ReindexJob":
        """Return the next job, for the documents older than the id `before`."""
        return replace(self, turn=self.turn + 1, before=before)


class KindOfIndex(Record):
    """An index and the model of its vectors. `is_whole` says whether it has, or is about to have, every document."""

    index: KnowledgeIndex
    model: Embedder
    is_whole: bool


def wanted(organization: str) -> KindOfIndex:
    """Return the index of the model that is set, brought up to date. One call; two if it is not whole."""
    model = embedder(settings().embedding_model_id)
    index = _refreshed(organization, model.kind)
    return KindOfIndex(
        index,
        model,
        OWNERS_NOTE in index.manifest.state or next(_others(organization, model.kind), None) is None,
    )


def answering(organization: str) -> KindOfIndex:
    """Return the index to search: the wanted one if it is whole, else the one before it."""
    chosen = wanted(organization)
    return chosen if chosen.is_whole else next(_others(organization, chosen.model.kind), chosen)


def written(organization: str) -> list[KindOfIndex]:
    """Return the indexes that a change is written to: the wanted one, and while it is not whole the one in use."""
    chosen = wanted(organization)
    return [chosen] if chosen.is_whole else [chosen, *_others(organization, chosen.model.kind)]


def finish(chosen: KindOfIndex, organization: str) -> None:
    """Mark an index as whole, and remove the others."""
    edit = edit_of([], [], whole=chosen.model.model_id)
    chosen.index.commit(lambda _: edit)
    for other in list(_others(organization, chosen.model.kind)):
        store.remove_all(other.index.location)


def _others(organization: str, kind: str) -> Iterator[KindOfIndex]:
    """Yield whole indexes of other kinds."""
    prefix = f"{prefix_of(organization)}{VERSION}-"
    for name in store.folders(settings().knowledge_bucket, prefix):
        found = name.removeprefix(prefix).rstrip("/")
        if found == kind:
            continue
        index = _refreshed(organization, found)
        if OWNERS_NOTE in index.manifest.state:
            yield KindOfIndex(index, embedder(index.manifest.state[OWNERS_NOTE]), is_whole=True)


def _refreshed(organization: str, kind: str) -> KnowledgeIndex:
    index = index_of(organization, kind)
    index.refresh()
    return index
