"""What MiniStack saves when it ends: large values go to files of their own, and nothing is waited for afterwards.

MiniStack 1.5.33 writes the archives of layers as base64 into one JSON file, 120 MB of it. Writing that at each stop and
reading it at each start takes seconds. And after it has saved everything, it waits for functions that still run, whose
work nothing keeps any more.
"""

import hashlib
import importlib
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

_LARGE = 1_000_000  # bytes
_REFERENCE = "__large_value__"

type Send = Callable[[dict[str, Any]], Awaitable[None]]


def keep_large_values_in_files(state: Path) -> None:
    """Let MiniStack keep large values beside its JSON files, each under its SHA-256."""
    theirs = vars(importlib.import_module("ministack.core.persistence"))
    encode, decode, save_all = (theirs[name] for name in ("_json_default", "_json_object_hook", "save_all"))
    folder = state / "large"
    saved: set[Path] = set()

    def to_json(value: Any) -> Any:
        if not isinstance(value, bytes) or len(value) < _LARGE:
            return encode(value)
        digest = hashlib.sha256(value).hexdigest()
        file = folder / digest
        saved.add(file)
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            unfinished = file.with_suffix(".new")
            unfinished.write_bytes(value)
            unfinished.replace(file)
        return {_REFERENCE: digest}

    def from_json(value: dict[str, Any]) -> Any:
        digest = value.get(_REFERENCE)
        return decode(value) if digest is None else (folder / digest).read_bytes()

    def save(services: Mapping[str, Any]) -> None:
        save_all(services)
        for file in set(folder.glob("*")) - saved:
            file.unlink()

    # Before MiniStack's application imports them.
    theirs.update(_json_default=to_json, _json_object_hook=from_json, save_all=save)


def end_when_saved() -> None:
    """Let MiniStack end as soon as it has saved its state."""
    application = vars(importlib.import_module("ministack.app"))
    handle = application["_handle_lifespan"]

    async def handle_lifespan(scope: Any, receive: Any, send: Send) -> None:
        async def until_saved(message: dict[str, Any]) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                os._exit(0)
            await send(message)

        await handle(scope, receive, until_saved)

    application["_handle_lifespan"] = handle_lifespan
