"""The emulator saves large values as files, and ends when it has saved."""

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.local import saving

persistence = importlib.import_module("ministack.core.persistence")

LARGE, OTHER = b"a" * 1_000_000, b"b" * 1_000_000


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(persistence, "STATE_DIR", str(tmp_path))
    monkeypatch.setattr(persistence, "PERSIST_STATE", True)
    for name in ("_json_default", "_json_object_hook", "save_all"):
        monkeypatch.setattr(persistence, name, getattr(persistence, name))  # set back afterwards
    saving.keep_large_values_in_files(tmp_path)
    return tmp_path


def save(**values: bytes) -> None:
    services: dict[str, Callable[[], dict[str, Any]]] = {"lambda": lambda: {"layers": values}}
    persistence.save_all(services)


def test_what_was_saved_comes_back(state: Path) -> None:
    save(large=LARGE, small=b"small")

    assert persistence.load_state("lambda") == {"layers": {"large": LARGE, "small": b"small"}}
    assert (state / "lambda.json").stat().st_size < 1_000


def test_a_large_value_that_is_no_longer_saved_is_removed(state: Path) -> None:
    save(first=LARGE, second=OTHER)
    saving.keep_large_values_in_files(state)  # another start

    save(second=OTHER)

    assert [file.read_bytes() for file in (state / "large").iterdir()] == [OTHER]
    assert persistence.load_state("lambda") == {"layers": {"second": OTHER}}


def test_a_value_that_two_services_save_is_one_file(state: Path) -> None:
    save(first=LARGE, second=LARGE)

    assert len(list((state / "large").iterdir())) == 1


def test_it_ends_when_it_has_saved_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    application = importlib.import_module("ministack.app")
    steps: list[str] = []

    async def send(message: dict[str, Any]) -> None:
        steps.append(message["type"])

    async def lifespan(_scope: Any, _receive: Any, send: saving.Send) -> None:
        await send({"type": "lifespan.startup.complete"})
        steps.append("saved")
        await send({"type": "lifespan.shutdown.complete"})

    monkeypatch.setattr(application, "_handle_lifespan", lifespan)
    monkeypatch.setattr("os._exit", lambda code: steps.append(f"ended with {code}"))
    saving.end_when_saved()
    asyncio.run(application._handle_lifespan({}, None, send))

    assert steps[:3] == ["lifespan.startup.complete", "saved", "ended with 0"]
