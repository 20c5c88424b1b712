"""(g): the time to find passages, by the size of the index."""

from functools import partial
from unittest import mock

from benchmarks import stub
from benchmarks.corpus import Bucket, Writer
from benchmarks.measuring import take_turns
from benchmarks.report import Section
from helpdesk.knowledge import retrieval
from helpdesk.knowledge.index import clear_cache, index_of, write
from helpdesk.platform import clients

TITLE = "Retrieval"

TEXT = """Questions of eight words to the embedded retriever, over made-up documents of four sections with 120
words each (`benchmarks/corpus.py`); CPU time of one question, with the look at the index's manifest in S3,
which is answered from memory. What is beside that: one call to S3 for each question."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    stub.use("http://127.0.0.1:9")
    sizes = (5, 10) if tiny else (100, 1_000, 10_000)
    section = Section(TITLE, TEXT, ("Documents", "Sections", "CPU of a question", "over the smallest"))
    with mock.patch.object(clients, "s3", return_value=Bucket()):
        writer = Writer()
        for size in sizes:
            index = index_of(str(size))
            documents = list(writer.documents(size))
            for start in range(0, size, 500):
                write(index, [], documents[start : start + 500])
        questions = [writer.question() for _ in range(5 if tiny else 50)]

        def ask(size: int) -> None:
            for question in questions:
                if retrieval.find(str(size), question) is None:
                    raise RuntimeError("an empty index")

        contenders = {str(size): partial(ask, size) for size in sizes}
        timings = take_turns(contenders, rounds=1 if tiny else 10, repeats=1)
        for size in sizes:
            searcher = index_of(str(size)).reader
            section.rows.append(
                (
                    f"{size:,}",
                    f"{searcher.sections if searcher else 0:,}",
                    f"{timings.median(str(size)) / len(questions) * 1_000:.2f} ms",
                    f"{timings.ratio(str(size), str(sizes[0])):.2f}",
                )
            )
        clear_cache()
    return section
