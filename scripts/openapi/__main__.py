"""Write the OpenAPI document (`make openapi`), or check that the committed one is up to date (`make check`)."""

import json
import sys

from scripts.openapi.document import document
from scripts.openapi.routes import ROOT

DOCUMENT = ROOT / "docs" / "openapi.json"


def main(arguments: list[str]) -> int:
    """Write docs/openapi.json; with --check write nothing and return 1 when the file is out of date."""
    current = json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
    if DOCUMENT.exists() and DOCUMENT.read_text(encoding="utf-8") == current:
        return 0
    name = DOCUMENT.relative_to(ROOT)
    if "--check" in arguments:
        print(f"{name} does not match the declared routes. Run: make openapi", file=sys.stderr)
        return 1
    DOCUMENT.write_text(current, encoding="utf-8")
    print(f"Written: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
