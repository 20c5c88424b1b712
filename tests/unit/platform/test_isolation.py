"""Calls in a process of its own: what it gets from the caller's environment, and what ends it."""

import subprocess
from typing import Any

import pytest

from helpdesk.platform import isolation
from helpdesk.platform.isolation import Isolated, NotStarted, Unreadable


def test_the_process_finds_lambdas_interpreter_and_gets_no_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[dict[str, str]] = []

    def start(_command: list[str], *, env: dict[str, str], **_: Any) -> None:
        started.append(env)
        raise OSError

    monkeypatch.setenv("LD_LIBRARY_PATH", "/var/lang/lib:/opt/lib")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setattr(subprocess, "Popen", start)

    with pytest.raises(NotStarted), Isolated("json", 1.0) as reader:
        reader.call("loads", b"1")

    [variables] = started
    assert variables["LD_LIBRARY_PATH"] == "/var/lang/lib:/opt/lib"
    assert variables.keys() == {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH"}


def test_a_call_that_never_ends_is_ended_with_its_process_and_the_next_one_is_answered() -> None:
    said: list[str] = []
    with Isolated("tests.support.endless", 1.0) as calls:
        assert calls.call("length", b"abc") == 3
        first = calls._process
        with pytest.raises(Unreadable):
            calls.call("never", b"", meanwhile=lambda: said.append("slow"))

        assert first is not None
        assert first.returncode == -9
        assert calls.call("length", b"abcd") == 4
    assert said == ["slow"]


def test_a_function_that_fails_is_no_process_that_did_not_start() -> None:
    with Isolated("tests.support.endless", 5.0) as calls, pytest.raises(Unreadable) as failed:
        calls.call("fails", b"")

    assert not isinstance(failed.value, NotStarted)


def test_a_module_that_cannot_be_imported_is_a_process_that_did_not_start(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(NotStarted), Isolated("helpdesk.platform.nothing", 5.0) as calls:
        calls.call("length", b"")

    assert "ModuleNotFoundError" in capfd.readouterr().err


def test_a_call_that_is_interrupted_leaves_no_answer_for_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    with Isolated("tests.support.endless", 5.0) as calls:
        calls.call("length", b"a")
        with monkeypatch.context() as patched:
            patched.setattr(isolation, "_answer", interrupt)
            with pytest.raises(KeyboardInterrupt):
                calls.call("length", b"ab")

        assert calls.call("length", b"abc") == 3
