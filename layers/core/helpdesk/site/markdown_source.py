"""Boxes, as authors' tools extend Markdown, brought to what a parser of Markdown knows."""

import html
import re
from collections.abc import Mapping

BOXES = ("note", "tip", "info", "important", "warning", "caution", "danger")
"""The kinds of boxes; each is a class of the theme."""

_BOX = re.compile(r"^([ \t]*):{3,}[ \t]*(?:([A-Za-z][\w-]*)[ \t]*(.*))?$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ALERT = re.compile(r"^ {0,3}> ?\[!(note|tip|important|warning|caution)\][ \t]*$", re.IGNORECASE)


def with_boxes(text: str, titles: Mapping[str, str]) -> str:
    """Return text in which `:::tip` blocks and GitHub's `> [!TIP]` are boxes; `titles` has a title for each kind."""
    lines: list[str] = []
    fence, opened, in_alert = "", 0, False
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and (
            not fence or (mark[1].startswith(fence) and not line.strip().strip(fence[0]))
        ):
            fence = "" if fence else mark[1]
        if in_alert:
            inner = _inside(line)
            if inner is not None:
                lines.append(inner)
                continue
            lines += ["", "</div>", ""]
            in_alert = False
        found = None if fence else _BOX.match(line.rstrip())
        quoted = None if fence else _ALERT.match(line)
        if quoted is not None:
            in_alert = True
            lines += _opening("", quoted[1].lower(), titles[quoted[1].lower()])
        elif found is not None and found[2]:
            kind, title = found[2].lower(), found[3].strip().strip("[]")
            lines += _opening(found[1], kind, title or titles.get(kind, ""))
            opened += 1
        elif found is not None and opened:
            lines += ["", f"{found[1]}</div>", ""]
            opened -= 1
        else:
            lines.append(line)
    return "\n".join([*lines, *["", "</div>"] * (opened + in_alert)])


def _opening(indent: str, kind: str, title: str) -> list[str]:
    """Return the lines that begin a box; one of another kind than ours has no look of its own."""
    box = f'<div class="admonition {kind}">' if kind in BOXES else "<div>"
    heading = f'<p class="admonition-title">{html.escape(title)}</p>' if title else ""
    return ["", f"{indent}{box}{heading}", ""]


def _inside(line: str) -> str | None:
    """Return a line of a quotation without its mark; None for a line after it."""
    stripped = line.lstrip(" ")
    return stripped[1:].removeprefix(" ") if stripped.startswith(">") else None
