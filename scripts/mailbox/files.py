"""The mails of a stack as files: what the emulator was asked to send, and what came in over SMTP.

A mail that went out is the request to SES, with SES's ID; one that came in is its bytes, beside the notice of SES.
Names begin with the time, so that they sort by it.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

SENT = ".sent.json"
NOTICE = ".notice.json"
RAW = ".eml"


class MailFile(NamedTuple):
    """A mail: its name, when it came (seconds since 1970), and what was sent, or the bytes of what came in."""

    name: str
    at: float
    sent: dict[str, Any] | None
    raw: bytes


def keep_sent(folder: Path, request: Mapping[str, Any]) -> None:
    """Keep a mail that went out: the request, with its `MessageId`."""
    _write(folder / f"{time.time_ns()}{SENT}", json.dumps(request).encode())


def keep_received(folder: Path, raw: bytes, notice: str) -> None:
    """Keep a mail that came in, and what SES would say of it."""
    name = time.time_ns()
    _write(folder / f"{name}{RAW}", raw)
    _write(folder / f"{name}{NOTICE}", notice.encode())


def newest(folder: Path, most: int) -> list[MailFile]:
    """Return the newest mails, oldest first."""
    names = sorted(path.name for path in folder.glob("*") if path.name.endswith((SENT, NOTICE)))
    found = (find(folder, name.partition(".")[0]) for name in names[-most:])
    return [mail for mail in found if mail is not None]


def find(folder: Path, name: str) -> MailFile | None:
    """Return a mail by its name."""
    if not name.isascii() or not name.isdigit():
        return None
    at = int(name) / 1e9
    try:
        return MailFile(name, at, json.loads((folder / f"{name}{SENT}").read_bytes()), b"")
    except FileNotFoundError:
        pass
    try:
        return MailFile(name, at, None, (folder / f"{name}{RAW}").read_bytes())
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_bytes(content)
    unfinished.replace(path)
