"""The Markdown files that `pull` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from helpdesk_files.front_matter import FrontMatter
from helpdesk_files.reading import sent

OWN_KEYS = ("title", "url", "aliases", "id", "version", "digest")
"""The entries that `pull` writes."""

_NOT_IN_YAML = re.compile("[^\t -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufeff\u2028\u2029]")


def rendered(own: Mapping[str, str | int | list[str] | None], others: FrontMatter, body: str) -> str:
    """Return a file with the given entries, the other entries of `others`, and a text."""
    lines = ["---"]
    for key, value in own.items():
        if value is not None:
            lines.append(f"{key}: {_quoted(value) if key in {'title', 'url', 'aliases'} else value}")
    for name, kept in others.entries:
        if name not in OWN_KEYS:
            lines += kept
    head = "\n".join([*lines, "---", ""])
    # A blank line looks better, where it is not taken for a part of the text.
    return f"{head}\n{body}" if sent(f"\n{body}") == body else f"{head}{body}"


def _quoted(value: str | int | list[str]) -> str:
    """Return a value as JSON, which YAML reads: the few characters that YAML lacks are written as escapes."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
