"""The time to find passages, by the size of the index, and the memory of it."""

import resource
import time
from collections.abc import Sequence
from functools import partial
from statistics import median
from unittest import mock

from benchmarks import stub
from benchmarks.corpus import Bucket, Writer
from benchmarks.measuring import take_turns
from benchmarks.report import Section, Target
from helpdesk.knowledge import repository, retrieval, searching
from helpdesk.knowledge.index import clear_cache, index_of, write
from helpdesk.platform import clients
from helpdesk.search.embeddings.embedder import embedder

TITLE = "Retrieval"
MOST_MS = 250
MOST_MB = 1_500
MOST_TYPING_MS = 30

TEXT = """Questions of eight words, over made-up documents of four sections with 120 words each
(`benchmarks/corpus.py`) and vectors in random directions; CPU time of one question, with its vector (all-MiniLM-L6-v2),
both searches, and the look at the index's manifest in S3, which is answered from memory. What is beside that: one call
to S3 and one to DynamoDB for each question. "First" is the first question after the index changed, which reads the
vectors from disk. "Search" is a page of 20 results of the help site's search for two words, one of them common, with
their excerpts; "typing" is the titles for the beginning of a question, the longest of fifty. Both are among all
documents by their ids. Memory is the most that the process has had since it began, of which the model takes about
150 MB."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    stub.use("http://127.0.0.1:9")
    sizes = (5, 10) if tiny else (250, 2_500, 12_500)
    columns = (
        "Documents",
        "Sections",
        "CPU of a question",
        "over the smallest",
        "First",
        "Search",
        "Typing",
        "Memory",
    )
    section = Section(TITLE, TEXT, columns)
    with (
        mock.patch.object(clients, "s3", return_value=Bucket()),
        mock.patch.object(repository, "deleted", return_value=frozenset()),
    ):
        writer = Writer()
        firsts: dict[int, tuple[float, float]] = {}
        embedder("").question("the first text loads the model")
        for size in sizes:
            index = index_of(str(size))
            for start in range(0, size, 500):
                write(index, [], list(writer.documents(min(500, size - start), first=start)))
            began = time.process_time()
            retrieval.find(str(size), writer.question())
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
            firsts[size] = (time.process_time() - began, most)
        questions = [writer.question() for _ in range(5 if tiny else 20)]

        def ask(size: int) -> None:
            for question in questions:
                if retrieval.find(str(size), question) is None:
                    raise RuntimeError("an empty index")

        contenders = {str(size): partial(ask, size) for size in sizes}
        timings = take_turns(contenders, rounds=1 if tiny else 3, repeats=1)
        typing = {size: _typed(size, questions[:10]) for size in sizes}
        for size in sizes:
            searcher = index_of(str(size)).reader
            section.rows.append(
                (
                    f"{size:,}",
                    f"{searcher.sections if searcher else 0:,}",
                    f"{timings.median(str(size)) / len(questions) * 1_000:.2f} ms",
                    f"{timings.ratio(str(size), str(sizes[0])):.2f}",
                    f"{firsts[size][0] * 1_000:.0f} ms",
                    f"{_searched(size, questions) * 1_000:.0f} ms",
                    f"{typing[size] * 1_000:.0f} ms",
                    f"{firsts[size][1]:.0f} MB",
                )
            )
        middle = timings.median(str(sizes[1])) / len(questions) * 1_000
        section.targets.append(Target("A question over 10,000 sections, CPU, ms", middle, MOST_MS))
        section.targets.append(
            Target(
                "Titles while typing, over 10,000 sections, CPU, ms", typing[sizes[1]] * 1_000, MOST_TYPING_MS
            )
        )
        section.targets.append(
            Target("Memory with 50,000 sections and the smaller ones, MB", firsts[sizes[-1]][1], MOST_MB)
        )
        clear_cache()
    return section


def _ids(size: int) -> list[str]:
    return [f"doc_{number:026d}" for number in range(size)]


def _searched(size: int, questions: Sequence[str]) -> float:
    """Return the median of the seconds of CPU for a page of results, of the first and the sixth word of questions."""
    took = []
    for question in questions:
        words = question.rstrip("?").split()
        began = time.process_time()
        found = searching.find(str(size), f"{words[0]} {words[5]}", among=_ids(size))
        for document_id in found.documents(0, 20):
            found.excerpt(document_id)
        took.append(time.process_time() - began)
    return median(took)


def _typed(size: int, questions: Sequence[str]) -> float:
    """Return the most seconds of CPU for titles, of the beginnings of questions; of each the least of three counts."""
    took = []
    for question in questions:
        for length in (2, 3, 6, 12, 30):
            times = []
            for _ in range(3):
                began = time.process_time()
                searching.find_begun(str(size), question[:length], among=_ids(size), limit=10)
                times.append(time.process_time() - began)
            took.append(min(times))
    return max(took)
