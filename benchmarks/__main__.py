"""`make bench`: run every benchmark, each in a process of its own, and write benchmarks/results.md.

python -m benchmarks                 all of them
python -m benchmarks request_cpu …   some; printed, not written
python -m benchmarks --tiny          with sizes that measure nothing, to see that they run; printed, not written
"""

import argparse
import dataclasses
import importlib
import json
import subprocess
import sys
import time

from benchmarks.report import RESULTS, ROOT, Section, render

BENCHMARKS = (
    "request_cpu",
    "function_start",
    "route_costs",
    "agent_turns",
    "fanning_out",
    "sending",
    "outages",
    "peers",
    "retrieving",
    "indexing",
    "searching",
    "exploring",
    "site_pages",
    "site_costs",
    "package_sizes",
)


def main() -> int:
    """Run; return 1 when a benchmark fails or a target is missed."""
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--tiny", action="store_true", help="sizes that measure nothing")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    if options.json:
        section: Section = importlib.import_module(f"benchmarks.{options.names[0]}").run(tiny=options.tiny)
        print(json.dumps(dataclasses.asdict(section)))
        return 0
    names = options.names or BENCHMARKS
    sections = [
        _run(name, number, len(names), tiny=options.tiny) for number, name in enumerate(names, start=1)
    ]
    text = render(sections)
    if options.names or options.tiny:
        print("\n" + text)
    else:
        RESULTS.write_text(text, encoding="utf-8")
        print(f"Written: {RESULTS.relative_to(ROOT)}")
    missed = [target for section in sections for target in section.targets if not target.holds]
    for target in missed:
        print(f"Missed: {target.name}: {target.value:.2f}, not {target.limit:.2f}", file=sys.stderr)
    return 1 if missed and not options.tiny else 0


def _run(name: str, number: int, of: int, *, tiny: bool) -> Section:
    print(f"{number}/{of} {name} …", end=" ", flush=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "benchmarks", name, "--json", *(["--tiny"] if tiny else [])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"failed. Run it alone: python -m benchmarks {name}")
    print(f"{time.monotonic() - started:.0f} s", flush=True)
    section = Section.from_json(json.loads(done.stdout.splitlines()[-1]))
    for target in section.targets:
        print(
            f"    {target.name}: {target.value:.2f} ({'holds' if target.holds else 'missed'}: {target.limit:.2f})"
        )
    return section


if __name__ == "__main__":
    sys.exit(main())
