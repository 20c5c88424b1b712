"""The result of a benchmark, and its Markdown."""

import datetime as dt
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.md"

_VERSIONS = (
    "boto3",
    "botocore",
    "pydantic",
    "aws-lambda-powertools",
    "aiohttp",
    "tantivy",
    "fastapi",
    "mangum",
    "moto",
)


@dataclass(frozen=True, slots=True)
class Target:
    """A figure with its target: `value` is at most (or below) `limit`."""

    name: str
    value: float
    limit: float
    strictly: bool = False

    @property
    def holds(self) -> bool:
        """Whether the target is met."""
        return self.value < self.limit if self.strictly else self.value <= self.limit


@dataclass(slots=True)
class Section:
    """One benchmark's results: a description, a table, and the figures that have a target."""

    title: str
    text: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Section":
        """Read what `dataclasses.asdict` gave."""
        return cls(**{**data, "targets": [Target(**target) for target in data["targets"]]})


def render(sections: Sequence[Section]) -> str:
    """Return results.md."""
    parts = ["# Benchmarks", _PREFACE + circumstances()]
    rows = [
        (
            target.name,
            f"{target.value:.2f}",
            f"{'below' if target.strictly else 'at most'} {target.limit:.2f}",
            "yes" if target.holds else "**no**",
        )
        for section in sections
        for target in section.targets
    ]
    parts += ["## Targets", table(("Figure", "Measured", "Target", "Holds"), rows)]
    for section in sections:
        parts += [f"## {section.title}", section.text, table(section.columns, section.rows)]
    return "\n\n".join(parts) + "\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns after the first are numbers and right-aligned."""
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "--:|" * (len(columns) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


_PREFACE = """Written by `make bench`; not by hand. Ratios compare what ran in turns in one run, so they are the \
figures to rely on; absolute times are this machine's.

"""


def circumstances() -> str:
    """Return when and on what something was measured, as a list."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _VERSIONS)
    return (
        f"- Date: {dt.datetime.now(tz=dt.UTC):%Y-%m-%d}, commit {_commit()}\n"
        f"- Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; load at the end "
        f"{os.getloadavg()[0]:.1f}\n"
        f"- Python {platform.python_version()}, {versions}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        "unknown processor",
    )


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
