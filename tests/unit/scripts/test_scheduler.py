"""The local scheduler's life: it runs what is due and ends with the emulator it was started beside."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from scripts.local import scheduler
from scripts.local.processes import ProcessRecord
from scripts.local.schedules import Rate, Scheduled
from scripts.local.settings import StackSettings


class Functions:
    """Stands in for Lambda; `fails` names functions that cannot be invoked."""

    def __init__(self) -> None:
        self.invoked: list[tuple[str, Any]] = []
        self.fails: set[str] = set()

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> None:
        assert InvocationType == "Event"
        self.invoked.append((FunctionName, json.loads(Payload)))
        if FunctionName in self.fails:
            raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Functions:
    fake = Functions()
    monkeypatch.setattr(scheduler, "client", lambda *_: fake)
    scheduled = [Scheduled("one", Rate(60)), Scheduled("two", Rate(60), '{"run": "wakes"}')]
    monkeypatch.setattr(scheduler, "of_template", lambda: scheduled)
    return fake


def pauses(monkeypatch: pytest.MonkeyPatch, *happenings: Any) -> None:
    """Let something happen in each pause between two looks."""
    left = list(happenings)
    monkeypatch.setattr("scripts.local.scheduler.time.sleep", lambda _: left.pop(0)())


def test_it_runs_what_is_due_until_the_emulator_is_stopped(
    functions: Functions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "emulator.json"
    ProcessRecord.of(os.getpid()).save(record)
    pauses(monkeypatch, lambda: None, record.unlink)

    scheduler.run(StackSettings(port=4599, folder=tmp_path))

    assert [name for name, _ in functions.invoked] == ["one", "two"]
    assert functions.invoked[0][1]["detail-type"] == "Scheduled Event"
    assert functions.invoked[1][1] == {"run": "wakes"}


def test_it_ends_when_another_emulator_took_the_place_of_its_own(
    functions: Functions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "emulator.json"
    ProcessRecord.of(os.getpid()).save(record)
    pauses(monkeypatch, lambda: ProcessRecord.of(os.getppid()).save(record))

    scheduler.run(StackSettings(port=4599, folder=tmp_path))

    assert len(functions.invoked) == 2


def test_without_an_emulator_it_runs_nothing(functions: Functions, tmp_path: Path) -> None:
    scheduler.run(StackSettings(port=4599, folder=tmp_path))

    assert functions.invoked == []


def test_a_function_that_cannot_be_run_keeps_no_other_from_running(
    functions: Functions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "emulator.json"
    ProcessRecord.of(os.getpid()).save(record)
    functions.fails = {"one"}
    pauses(monkeypatch, record.unlink)

    scheduler.run(StackSettings(port=4599, folder=tmp_path))

    assert [name for name, _ in functions.invoked] == ["one", "two"]
    assert "one could not be run" in capsys.readouterr().out


def test_a_process_of_its_own_ends_by_itself_where_no_emulator_runs(tmp_path: Path) -> None:
    beside = scheduler.Scheduler(StackSettings(port=4599, folder=tmp_path))

    beside.start()
    process = ProcessRecord.load(tmp_path / "scheduler.json")
    assert process is not None
    os.waitpid(process.pid, 0)

    assert not beside.runs()
    assert beside.log.read_text() == ""
    beside.stop()
    assert not (tmp_path / "scheduler.json").exists()
