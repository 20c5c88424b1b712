"""Write the description of the API: `make openapi`; or say whether what is written is current: `make check`."""

import json
import sys
from pathlib import Path

from scripts.openapi.document import document
from scripts.openapi.page import page
from scripts.openapi.routes import ROOT


def files() -> dict[Path, str]:
    """Return what is written where: the document to read and compare, and what the function serves."""
    described = document()
    served = ROOT / "functions" / "docs"
    return {
        ROOT / "docs" / "openapi.json": json.dumps(described, indent=2, ensure_ascii=False) + "\n",
        served / "openapi.json": json.dumps(described, separators=(",", ":"), ensure_ascii=False),
        served / "page.html": page(described),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with --check return 1 where one is not what the code says."""
    stale = [
        path
        for path, text in files().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the code says. Run: make openapi", file=sys.stderr)
        return 1 if stale else 0
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"Written: {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
