"""What the process that reads pages gets from the worker's environment."""

import subprocess
from typing import Any

import pytest

from helpdesk.crawls import isolation


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

    with pytest.raises(OSError), isolation.Reader() as reader:  # noqa: PT011 - the stub's own
        reader.read("html", b"<p>Hello</p>", "text/html", "https://example.com/")

    [variables] = started
    assert variables["LD_LIBRARY_PATH"] == "/var/lang/lib:/opt/lib"
    assert variables.keys() == {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH"}
