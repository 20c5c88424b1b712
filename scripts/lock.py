"""Renew every requirements.txt from the requirements.in beside it: `make lock`.

One resolution, for the developer's set; the files of `make dev`, the layers, the functions and the benchmarks are held
to its versions. Every version is pinned with the hashes of its files for every platform, and no file names the index it
came from. A version that still fits stays as it is; `make lock UPGRADE=1` takes the newest that fit.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEVELOPER = Path("requirements/dev")
# What installs the rest, what `make dev` and a benchmark need, and what is deployed: each has its own list and its own
# pins.
PARTS = [
    Path("requirements/pip"),
    Path("requirements/local"),
    *(
        path.relative_to(ROOT).with_suffix("")
        for pattern in (
            "layers/*/requirements.in",
            "functions/*/requirements.in",
            "benchmarks/*/requirements.in",
        )
        for path in sorted(ROOT.glob(pattern))
    ),
]
# What another layer carries: the compiled part of pydantic depends on the processor.
_ELSEWHERE = {Path("layers/dependencies/requirements"): ["--no-emit-package", "pydantic-core"]}
_OPTIONS = ["--universal", "--python-version", "3.13", "--generate-hashes"]
_OPTIONS += ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"]


def main() -> int:
    """Write the files; return 1 when uv is missing or finds no set of versions that fits."""
    uv = shutil.which("uv")
    if uv is None:
        print("make lock needs uv on the PATH: pipx install uv", file=sys.stderr)
        return 1
    upgrade = ["--upgrade"] if os.environ.get("UPGRADE") else []
    print(f"Resolving {DEVELOPER}.in")
    if not _compile(uv, DEVELOPER, upgrade):
        return 1
    for name in PARTS:
        print(f"Holding {name}.in to the same versions")
        options = ["--constraints", f"{DEVELOPER}.txt", "--upgrade", *_ELSEWHERE.get(name, [])]
        if not _compile(uv, name, options):
            return 1
    return 0


def _compile(uv: str, name: Path, options: list[str]) -> bool:
    command = [uv, "pip", "compile", f"{name}.in", "--output-file", f"{name}.txt", *_OPTIONS, *options]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
