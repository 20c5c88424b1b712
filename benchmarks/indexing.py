"""The cost of indexing one document, by the number of documents in the index."""

import statistics
import time
from collections.abc import Sequence
from typing import Any
from unittest import mock

from benchmarks import stub
from benchmarks.corpus import Bucket, Writer
from benchmarks.report import Section, Target
from helpdesk.knowledge import document_store, index_kinds, indexing
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.index import clear_cache, index_of, write
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.platform import clients
from helpdesk.platform.logging import logger
from helpdesk.search.embeddings.embedder import Vectors
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.table import to_wire

TITLE = "Indexing"
FLAT = 1.5

TEXT = f"""One document after the other, each a job and a commit of its own, into indexes of different sizes; the
indexes take turns, document by document. A document has four sections with 120 words, and the index has the vectors of
all of them. CPU time of the whole job, its threads included. S3 and DynamoDB are answered from memory, and what goes
there is counted. The vectors are random and made beforehand: the model takes the same time (about 75 ms for 100
words) however many documents there are. About every eighth commit merges the segments with fewer than 10,000
sections, which are all that a small index has; larger ones merge far more rarely. The mean over 128 commits has those
merges in it. Flat is a median and a mean at the largest size of at most {FLAT} times the smallest's."""


class PreparedModel:
    """An embedder that returns vectors that were made beforehand, in random directions."""

    model_id = "prepared"
    kind = "prepared"
    calibrated = True
    languages: frozenset[str] | None = None
    multilingual = None

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        return self._vectors[: len(texts)]

    def question(self, text: str) -> Vectors:
        """Return a vector."""
        found: Vectors = self._vectors[len(text) % len(self._vectors)]
        return found


class Table:
    """The part of DynamoDB that a job uses: one document, which exists."""

    def __init__(self) -> None:
        self.calls = 0
        self.document: Document | None = None

    def batch_get_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
        """BatchGetItem."""
        self.calls += 1
        items = [to_wire(self.document.to_item())] if self.document else []
        return {"Responses": dict.fromkeys(RequestItems, items), "UnprocessedKeys": {}}

    def update_item(self, **_: Any) -> dict[str, Any]:
        """UpdateItem."""
        self.calls += 1
        return {}


class KnowledgeBase:
    """An organization with documents that are indexed, to which others are added one by one."""

    def __init__(self, name: str, writer: Writer, model: PreparedModel) -> None:
        self._name = name
        self._writer = writer
        self._model = model
        self.bucket, self.table = Bucket(), Table()
        self.seconds: list[float] = []

    def fill(self, count: int) -> None:
        """Index documents, a twentieth of them at once."""
        step = max(1, count // 20)
        with mock.patch.object(clients, "s3", return_value=self.bucket):
            index = index_of(self._name, self._model.kind)
            for start in range(0, count, step):
                documents = list(self._writer.documents(min(step, count - start), first=start))
                write(index, [], documents, whole=self._model.model_id)
        self.bucket.calls = self.bucket.uploaded = 0

    def add(self, number: int) -> None:
        """Index one more document as the queue's job does, and note its CPU time."""
        [(name, title, text)] = self._writer.texts(1, first=number)
        with (
            mock.patch.object(clients, "s3", return_value=self.bucket),
            mock.patch.object(clients, "dynamodb", return_value=self.table),
            mock.patch.object(index_kinds, "embedder", return_value=self._model),
        ):
            self.table.document = _document(self._name, name, title, len(text))
            document_store.write(self.table.document.text_key, text.encode())
            self.bucket.calls, self.bucket.uploaded = self.bucket.calls - 1, self.bucket.uploaded - len(text)
            started = time.process_time()
            indexing.index(self._name, [name])
            self.seconds.append(time.process_time() - started)


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    stub.use("http://127.0.0.1:9")
    logger.setLevel("ERROR")  # each job notes what it indexed
    sizes = (2, 5) if tiny else (10, 1_000, 10_000)
    commits = 3 if tiny else 128
    columns = (
        "Documents there",
        "CPU, median",
        "CPU, mean",
        "CPU, most",
        "uploaded for one",
        "calls to S3 for one",
        "to DynamoDB",
    )
    section = Section(TITLE, TEXT, columns)
    writer = Writer()
    model = PreparedModel(writer.vectors(100))
    bases = {size: KnowledgeBase(str(size), writer, model) for size in sizes}
    for size, base in bases.items():
        base.fill(size)
    for number in range(commits):
        for size, base in bases.items():
            base.add(size + number)
    for size, base in bases.items():
        section.rows.append(
            (
                f"{size:,}",
                f"{statistics.median(base.seconds) * 1_000:.1f} ms",
                f"{statistics.mean(base.seconds) * 1_000:.1f} ms",
                f"{max(base.seconds) * 1_000:.1f} ms",
                f"{base.bucket.uploaded / commits / 1_000:.1f} KB",
                f"{base.bucket.calls / commits:.1f}",
                f"{base.table.calls / commits:.1f}",
            )
        )
    small, large = bases[sizes[0]].seconds, bases[sizes[-1]].seconds
    for name, of in (("median", statistics.median), ("mean", statistics.mean)):
        text = f"Indexing a document among {sizes[-1]:,} over among {sizes[0]:,}, {name}"
        section.targets.append(Target(text, of(large) / of(small), FLAT))
    clear_cache()
    return section


def _document(organization: str, name: str, title: str, size: int) -> Document:
    """Return the record of a document that waits to be indexed."""
    return Document(
        organization=organization,
        id=name,
        title=title,
        status=DocumentStatus.INDEXING,
        size=size,
        revision=name,
        text_key=document_store.key_of(organization, name, name),
        digest="",
        created_at=0,
        updated_at=0,
        created_by_name=ActorName("Benchmark"),
        slug=name,
    )
