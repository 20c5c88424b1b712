"""Ask whether a known vulnerability is in anything that is installed or deployed: `make audit`.

pip-audit asks this machine's package index, and reports each package that it could not check. If it could check none,
as without a network or behind a mirror that has no such data, this command says so and succeeds.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LISTS = [
    *sorted(path.relative_to(ROOT) for path in ROOT.glob("layers/*/requirements.txt")),
    *sorted(path.relative_to(ROOT) for path in ROOT.glob("functions/*/requirements.txt")),
    Path("benchmarks/peers/requirements.txt"),
    Path("requirements/dev.txt"),
]


def main() -> int:
    """Audit every list of requirements; return 1 when a vulnerability is known."""
    dependencies: dict[tuple[str, str], dict[str, Any]] = {}
    for path in LISTS:
        found = _audited(path)
        if found is None:
            print(f"Not audited: pip-audit could not read {path} or reach its data on vulnerabilities.")
            continue
        dependencies |= {(one["name"], one.get("version", "")): one for one in found}
    audited = [one for one in dependencies.values() if "skip_reason" not in one]
    if not audited:
        print("Not audited: the data on vulnerabilities cannot be reached from here. Run it where it can be.")
        return 0
    for one in audited:
        for vulnerability in one["vulns"]:
            fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
            print(f"{one['name']} {one['version']}: {vulnerability['id']}, fixed in {fixed}")
    affected = [one for one in audited if one["vulns"]]
    print(
        f"{len(audited)} packages audited, {len(dependencies) - len(audited)} not, {len(affected)} vulnerable."
    )
    return 1 if affected else 0


def _audited(path: Path) -> list[dict[str, Any]] | None:
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "--requirement",
        str(path),
        "--require-hashes",
        "--disable-pip",
    ]
    command += ["--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    return found


if __name__ == "__main__":
    sys.exit(main())
