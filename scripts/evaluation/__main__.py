"""Measures how well the agent finds answers: `make eval`, or `make eval CORPUS=folder` for any folder of Markdown.

`python -m scripts.evaluation fit FOLDER=QUESTIONS ...` fits the weights of helpdesk.knowledge.scoring to questions
about each folder, and prints what they do to the others.
"""

import argparse
import platform
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from scripts.evaluation.corpus import RememberingModel, indexed
from scripts.evaluation.fit import both_ways, samples
from scripts.evaluation.measure import Figures, Outcome, ask, figures, pages_line
from scripts.evaluation.questions import GUIDES, ROOT, Asked, held_out, of_file, own

RESULTS = ROOT / "docs" / "evaluation" / "results.md"
QUESTIONS_FILE = "questions.json"
HEAD = [
    "| questions | right | wrong | handed off | answers right | unanswerable handed off | first | among five |",
    "|---|---|---|---|---|---|---|---|",
]


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m scripts.evaluation", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "guides", help="measure on the project's own guides, and write docs/evaluation/results.md"
    )
    corpus = commands.add_parser("corpus", help="measure on a folder of Markdown, and print")
    corpus.add_argument("folder", type=Path)
    corpus.add_argument("--questions", type=Path, help=f"a JSON file; FOLDER/{QUESTIONS_FILE} by default")
    fitting = commands.add_parser("fit", help="fit the weights of confidence")
    fitting.add_argument("corpora", nargs="+", metavar="FOLDER=QUESTIONS")
    fitting.add_argument("--words-alone", action="store_true", help="as if no model knew the language")
    options = parser.parse_args()
    model = RememberingModel()
    try:
        if options.command == "fit":
            _fit(options.corpora, model, words_alone=options.words_alone)
        elif options.command == "corpus":
            file = options.questions or options.folder / QUESTIONS_FILE
            print("\n".join(_table(_asked(options.folder, of_file(file), model)[0])))
        else:
            _guides(model)
    finally:
        model.keep()
    return 0


def _fit(corpora: Sequence[str], model: RememberingModel, *, words_alone: bool) -> None:
    found = {}
    for pair in corpora:
        folder, _, file = pair.partition("=")
        with indexed(Path(folder), model) as corpus:
            found[Path(folder).name] = samples(corpus, of_file(Path(file)), model, words_alone=words_alone)
    print("\n".join(both_ways(found)))


def _guides(model: RememberingModel) -> None:
    outcomes, sections = _asked(GUIDES, [*own(), *held_out()], model)
    table = _table(outcomes)
    RESULTS.write_text(_results(outcomes, table, sections), encoding="utf-8")
    print("\n".join(table))
    print(f"\nWritten to {RESULTS.relative_to(ROOT)}, with the questions that failed and were not held out.")


def _asked(folder: Path, asked: Sequence[Asked], model: RememberingModel) -> tuple[list[Outcome], int]:
    """Return the outcomes and the number of sections."""
    with indexed(folder, model) as corpus:
        return ask(corpus, asked, model), corpus.sections


def _table(outcomes: Sequence[Outcome]) -> list[str]:
    lines = [*HEAD, _row("**all**", figures(outcomes))]
    for kind in dict.fromkeys(outcome.asked.kind for outcome in outcomes):
        of_kind = [outcome for outcome in outcomes if outcome.asked.kind == kind]
        lines.append(_row(kind.replace("-", " "), figures(of_kind)))
    return [*lines, "", pages_line(outcomes)]


def _row(name: str, found: Figures) -> str:
    left = found.answerable - found.right - found.wrong
    cells = (
        (found.right, found.answerable),
        (found.wrong, found.answerable),
        (left, found.answerable),
        (found.right, found.right + found.wrong),
        (found.handed_off, found.unanswerable),
        (found.first, found.answerable),
        (found.among_five, found.answerable),
    )
    return (
        f"| {name} | " + " | ".join(f"{part / max(of, 1):.0%} ({part} of {of})" for part, of in cells) + " |"
    )


def _results(outcomes: Sequence[Outcome], table: list[str], sections: int) -> str:
    seen = [outcome for outcome in outcomes if outcome.asked.kind != "held-out"]
    missed = [outcome for outcome in seen if outcome.asked.documents and not outcome.right]
    answered = [outcome for outcome in seen if not outcome.asked.documents and outcome.answered]
    took = sorted(outcome.took_ms for outcome in outcomes)
    made = (
        f"Written by `make eval` on {datetime.now(UTC):%Y-%m-%d}, with Python {platform.python_version()}, "
        f"Tantivy {version('tantivy')} and ONNX Runtime {version('onnxruntime')}, on the {sections} sections of "
        "docs/guides. The figures are explained in the [README](README.md)."
    )
    speed = (
        f"A search took {statistics.median(took):.1f} ms of CPU time (median), without the call that checks whether "
        "the index has changed. Vectors of questions that an earlier run had made are not in it."
    )
    lines = [
        "# Results of the evaluation",
        "",
        made,
        "",
        *table,
        "",
        speed,
        "",
        "## Questions without a right answer",
        "",
        "| question | what happens | score |",
        "|---|---|---|",
        *(_failure(outcome) for outcome in missed),
        "",
        "## Questions that were answered, though no guide answers them",
        "",
        "| question | what happens | score |",
        "|---|---|---|",
        *(_failure(outcome) for outcome in answered),
    ]
    return "\n".join(lines) + "\n"


def _failure(outcome: Outcome) -> str:
    best = outcome.best
    place = f"{best.document_id}, {best.heading or 'its beginning'}" if best else "nothing"
    happens = ("answered from " if outcome.answered else "handed off; best was ") + place
    return f"| {outcome.asked.text.replace('|', '/')} | {happens} | {best.score if best else 0:.2f} |"


if __name__ == "__main__":
    sys.exit(main())
