"""(h): the cost of indexing one document, by the number of documents in the index."""

import statistics
import time
from unittest import mock

from benchmarks import stub
from benchmarks.corpus import Bucket, Writer
from benchmarks.report import Section, Target
from helpdesk.knowledge.index import clear_cache, index_of, write
from helpdesk.platform import clients

TITLE = "Indexing"
FLAT = 1.5

TEXT = f"""One document after the other, each a commit of its own, into indexes of different sizes; the indexes
take turns, document by document. CPU time of a commit, its threads included; S3 is answered from memory, and what goes
there is counted. About every eighth commit merges the segments with fewer than 10,000 sections: the mean over 128
commits includes those merges. Flat is a median and a mean at the largest size of at most {FLAT}
times the smallest's."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    stub.use("http://127.0.0.1:9")
    sizes = (5, 10) if tiny else (100, 1_000, 10_000)
    commits = 3 if tiny else 128
    columns = (
        "Documents there",
        "CPU, median",
        "CPU, mean",
        "CPU, most",
        "uploaded for one",
        "calls to S3 for one",
    )
    section = Section(TITLE, TEXT, columns)
    buckets = {size: Bucket() for size in sizes}
    seconds: dict[int, list[float]] = {size: [] for size in sizes}
    writer = Writer()

    def commit(size: int, start: int, count: int) -> float:
        documents = list(writer.documents(count, first=start))
        with mock.patch.object(clients, "s3", return_value=buckets[size]):
            index = index_of(str(size))
            started = time.process_time()
            write(index, [document.id for document in documents], documents)
            return time.process_time() - started

    for size in sizes:
        step = max(1, size // 20)
        for start in range(0, size, step):
            commit(size, start, min(step, size - start))
        buckets[size].uploaded = buckets[size].calls = 0
    for number in range(commits):
        for size in sizes:
            seconds[size].append(commit(size, size + number, 1))
    for size in sizes:
        spent, bucket = seconds[size], buckets[size]
        section.rows.append(
            (
                f"{size:,}",
                f"{statistics.median(spent) * 1_000:.1f} ms",
                f"{statistics.mean(spent) * 1_000:.1f} ms",
                f"{max(spent) * 1_000:.1f} ms",
                f"{bucket.uploaded / commits / 1_000:.1f} KB",
                f"{bucket.calls / commits:.1f}",
            )
        )
    small, large = seconds[sizes[0]], seconds[sizes[-1]]
    for name, of in (("median", statistics.median), ("mean", statistics.mean)):
        text = f"Indexing a document among {sizes[-1]:,} over among {sizes[0]:,}, {name}"
        section.targets.append(Target(text, of(large) / of(small), FLAT))
    clear_cache()
    return section
