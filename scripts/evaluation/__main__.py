"""Measures how well the agent finds answers in the project's own guides: `make eval`.

`python -m scripts.evaluation fit` fits the weights of helpdesk.knowledge.scoring to the tuning questions and prints
them, with the results of such weights on questions that they were not fitted to.
"""

import platform
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from helpdesk.knowledge.features import Features
from helpdesk.knowledge.index import IndexSearcher
from scripts.evaluation.fit import Judged, fit, judge, samples, threshold
from scripts.evaluation.measure import Figures, Outcome, ask, figures, indexed_guides
from scripts.evaluation.questions import ROOT, Asked, held_out, tuning

RESULTS = ROOT / "docs" / "evaluation" / "results.md"
HEAD = [
    "| questions | right guide | wrong guide | handed off though answerable | unanswerable handed off |",
    "|---|---|---|---|---|",
]
NO_HELD_OUT = (
    "Without docs/evaluation/held_out.json there are no results for questions held out from tuning. These are the "
    "results of cross-validation, with weights fitted to the other five sixths of the questions each time:"
)


def main(arguments: list[str]) -> int:
    """Measure, print and write the results; with `fit`, fit and print the weights."""
    tuned, unseen = tuning(), held_out()
    with indexed_guides() as guides:
        if "fit" in arguments:
            _print_fit(guides, tuned)
            return 0
        ask(guides, tuned[:5])  # warm up: the stems of the thesaurus, among others
        outcomes = ask(guides, [*tuned, *unseen])
        sections = guides.sections
        beside = [] if unseen else [NO_HELD_OUT, "", *_judged_table(judge(samples(guides, tuned)))]
    table = _table(outcomes)
    took = sorted(outcome.took_ms for outcome in outcomes)
    print("\n".join([*table, "", *beside]))
    print(f"\nA question takes {statistics.median(took):.1f} ms of CPU time (median of {len(took)}).")
    RESULTS.write_text(_results(outcomes, [*table, "", *beside], took, sections), encoding="utf-8")
    print(f"Written to {RESULTS.relative_to(ROOT)}, with the tuning questions that failed.")
    return 0


def _print_fit(guides: IndexSearcher, tuned: Sequence[Asked]) -> None:
    names = Features._fields
    fitted = samples(guides, tuned)
    weights, judged = fit(fitted), judge(fitted)
    *confidence, confidence_length, lead, bias = weights.confidence
    for constant, values in (("ORDER", weights.order), ("CONFIDENCE", confidence)):
        print(
            f"{constant} = Features({', '.join(f'{n}={w:.2f}' for n, w in zip(names, values, strict=True))})"
        )
    print(f"CONFIDENCE_LENGTH = {confidence_length:.2f}\nCONFIDENCE_LEAD = {lead:.2f}")
    print(f"CONFIDENCE_OFFSET = {bias - threshold(judged):.2f}\n")
    print("\n".join(_judged_table(judged)))


def _table(outcomes: Sequence[Outcome]) -> list[str]:
    unseen = [outcome for outcome in outcomes if outcome.asked.kind == "held-out"]
    tuned = [outcome for outcome in outcomes if outcome.asked.kind != "held-out"]
    lines = [*HEAD]
    if unseen:
        lines.append(_row("**held-out**", figures(unseen)))
    lines.append(_row("**tuning**", figures(tuned)))
    for kind in dict.fromkeys(outcome.asked.kind for outcome in tuned):
        of_kind = [outcome for outcome in tuned if outcome.asked.kind == kind]
        lines.append(_row(f"tuning, {kind.replace('-', ' ')}", figures(of_kind)))
    return lines


def _judged_table(judged: Sequence[Judged]) -> list[str]:
    least = threshold(judged)

    def counted(found: Sequence[Judged]) -> Figures:
        answerable = [one for one in found if one.asked.guides]
        unanswerable = [one for one in found if not one.asked.guides]
        return Figures(
            answerable=len(answerable),
            right=sum(one.total >= least and one.right for one in answerable),
            wrong=sum(one.total >= least and not one.right for one in answerable),
            unanswerable=len(unanswerable),
            handed_off=sum(one.total < least for one in unanswerable),
        )

    lines = [*HEAD, _row("**tuning, cross-validated**", counted(judged))]
    for kind in dict.fromkeys(one.asked.kind for one in judged):
        of_kind = [one for one in judged if one.asked.kind == kind]
        lines.append(_row(f"{kind.replace('-', ' ')}, cross-validated", counted(of_kind)))
    return lines


def _row(name: str, found: Figures) -> str:
    left = found.answerable - found.right - found.wrong
    cells = (
        (found.right, found.answerable),
        (found.wrong, found.answerable),
        (left, found.answerable),
        (found.handed_off, found.unanswerable),
    )
    return f"| {name} | " + " | ".join(f"{part / of:.0%} ({part} of {of})" for part, of in cells) + " |"


def _results(outcomes: Sequence[Outcome], table: list[str], took: list[float], sections: int) -> str:
    tuned = [outcome for outcome in outcomes if outcome.asked.kind != "held-out"]
    missed = [outcome for outcome in tuned if outcome.asked.guides and not outcome.right]
    answered = [outcome for outcome in tuned if not outcome.asked.guides and outcome.answered]
    made = (
        f"Written by `make eval` on {datetime.now(UTC):%Y-%m-%d}, with Python {platform.python_version()} and "
        f"Tantivy {version('tantivy')}, on the {sections} sections of docs/guides. The figures are explained in the "
        "[README](README.md)."
    )
    speed = (
        f"A search took {statistics.median(took):.1f} ms of CPU time (median) and {took[-1]:.1f} ms at most, "
        "without the call that checks whether the index has changed."
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
        "## Tuning questions without a right answer",
        "",
        "| question | what happens | score |",
        "|---|---|---|",
        *(_failure(outcome) for outcome in missed),
        "",
        "## Tuning questions that were answered, though no guide answers them",
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
    sys.exit(main(sys.argv[1:]))
