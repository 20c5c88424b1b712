"""The requests in the guides and in README send only parameters and fields that the API knows."""

import json
import re
import shlex
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from scripts.openapi.document import document
from tests.support.described import operation_for
from tests.unit.docs.test_guides_and_routes import GUIDES, ROOT


def shell_blocks() -> list[str]:
    pages = [*GUIDES, ROOT / "README.md"]
    return [
        block
        for page in pages
        for block in re.findall(
            r"^```(?:sh|console)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
    ]


def requests() -> list[tuple[str, str, str | None]]:
    """Return the method, URL and body of every curl command."""
    found = []
    for block in shell_blocks():
        # A body in quotes can have several lines.
        for command in re.findall(r"curl (?:[^'\"\n\\]|\\\n|'[^']*'|\"[^\"]*\")*", block):
            words = shlex.split(command.replace("\\\n", " "), comments=True)
            url = next((word for word in words if word.startswith(("$BASE_URL/", "$B/"))), None)
            if url is None:
                continue
            bodies = [words[place + 1] for place, word in enumerate(words) if word in {"-d", "--data"}]
            given = [words[place + 1] for place, word in enumerate(words) if word in {"-X", "--request"}]
            sends = bool(bodies) or any(word.startswith("--data") for word in words)
            found.append(
                (given[0] if given else "POST" if sends else "GET", url, bodies[0] if bodies else None)
            )
    return found


def known_fields(operation: dict[str, Any]) -> set[str]:
    content = operation["requestBody"]["content"]["application/json"]["schema"]
    return set(document()["components"]["schemas"][content["$ref"].rsplit("/", 1)[1]]["properties"])


def test_every_request_in_the_guides_has_only_known_names() -> None:
    unknown = []
    seen = 0
    for method, url, body in requests():
        path = urlsplit("https://x/" + url.partition("/")[2])
        operation = operation_for(method, re.sub(r"\$\w+", "id", path.path))
        assert operation is not None, f"{method} {url} is no route"
        parameters = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
        sent = {name for name, _ in parse_qsl(path.query, keep_blank_values=True)}
        unknown += [f"{method} {url}: {name}" for name in sorted(sent - parameters)]
        seen += 1
        if body is not None:
            fields = set(json.loads(body))
            unknown += [f"{method} {url}: {name}" for name in sorted(fields - known_fields(operation))]

    assert unknown == []
    assert seen > 30
