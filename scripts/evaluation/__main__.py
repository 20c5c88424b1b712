"""How well the agent finds answers in the project's own guides: `make eval`.

`python -m scripts.evaluation fit` prints the weights that the tuning half gives, for helpdesk.knowledge.scoring.
"""

import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from importlib.metadata import version

from helpdesk.knowledge.scoring import Signs
from scripts.evaluation.fit import Sample, fit_offset, fit_order, fit_trust, samples
from scripts.evaluation.measure import Outcome, ask, figures, indexed_guides
from scripts.evaluation.questions import ROOT, half, questions

RESULTS = ROOT / "docs" / "evaluation" / "results.md"


def main(arguments: list[str]) -> int:
    """Measure, print and write the results; with `fit`, print weights."""
    asked = questions()
    with indexed_guides() as guides:
        if "fit" in arguments:
            _print_weights(samples(guides, half(asked, held_out=False)))
            return 0
        ask(guides, asked[:5])  # what is made once, such as the thesaurus's stems
        outcomes = ask(guides, asked)
        sections = guides.sections
    table = _table(outcomes)
    took = sorted(outcome.took_ms for outcome in outcomes)
    print("\n".join(table))
    print(f"\nA question takes {statistics.median(took):.1f} ms (median of {len(took)}).")
    RESULTS.write_text(_results(outcomes, table, took, sections), encoding="utf-8")
    print(f"Written to {RESULTS.relative_to(ROOT)}, with the questions of the tuning half that fail.")
    return 0


def _print_weights(fitted: Sequence[Sample]) -> None:
    names = [field.name for field in fields(Signs)]
    order = fit_order(fitted)
    *trust, bias = fit_trust(fitted, order)
    for constant, weights in (("ORDER", order), ("TRUST", trust)):
        print(
            f"{constant} = Signs({', '.join(f'{n}={w:.2f}' for n, w in zip(names, weights, strict=False))})"
        )
    print(
        f"TRUST_LENGTH = {trust[-2]:.2f}\nTRUST_LEAD = {trust[-1]:.2f}\nTRUST_OFFSET = {bias + fit_offset(fitted):.2f}"
    )


def _table(outcomes: Sequence[Outcome]) -> list[str]:
    lines = [
        "| questions | right guide | wrong guide | handed off though answerable | unanswerable handed off |",
        "|---|---|---|---|---|",
    ]
    for held_out, name in ((False, "tuning"), (True, "held-out")):
        found = [outcome for outcome in outcomes if outcome.asked.held_out is held_out]
        lines.append(_row(f"**{name} half**", found))
        lines += [
            _row(
                f"{name}, {kind.replace('-', ' ')}",
                [outcome for outcome in found if outcome.asked.kind == kind],
            )
            for kind in dict.fromkeys(outcome.asked.kind for outcome in found)
        ]
    return lines


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    found = figures(outcomes)
    left = found.answerable - found.right - found.wrong
    cells = (
        (found.right, found.answerable),
        (found.wrong, found.answerable),
        (left, found.answerable),
        (found.handed_off, found.unanswerable),
    )
    return f"| {name} | " + " | ".join(f"{part / of:.0%} ({part} of {of})" for part, of in cells) + " |"


def _results(outcomes: Sequence[Outcome], table: list[str], took: list[float], sections: int) -> str:
    tuned = [outcome for outcome in outcomes if not outcome.asked.held_out]
    missed = [outcome for outcome in tuned if outcome.asked.guides and not outcome.right]
    answered = [outcome for outcome in tuned if not outcome.asked.guides and outcome.answered]
    made = (
        f"Written by `make eval` on {datetime.now(UTC):%Y-%m-%d}, with Python {platform.python_version()} and "
        f"Tantivy {version('tantivy')}, on the {sections} sections of docs/guides. What the figures mean: "
        "[README](README.md)."
    )
    speed = (
        f"Finding the passage took {statistics.median(took):.1f} ms in the median and {took[-1]:.1f} ms at most, "
        "without the call that asks whether the index has changed."
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
        "## Questions of the tuning half that are not answered rightly",
        "",
        "| question | what happens | score |",
        "|---|---|---|",
        *(_failure(outcome) for outcome in missed),
        "",
        "## Questions of the tuning half that are answered though no guide answers them",
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
