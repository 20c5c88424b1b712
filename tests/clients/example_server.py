"""Starting the example receivers of clients/examples as a customer would, on a free port of 127.0.0.1."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import http.client
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.node import node, npm

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "examples"
KEY = "svc_key_01jd3kq8v5zt4m9rx2c7w6ybne_7ELSZgnu18FMTahov29GNUbipw3AHOVcjqx4BIPWdkr"
PATIENCE = 20.0  # seconds until what is awaited must have happened
INSTALLING = 120  # seconds
# npm's messages when the network, and not Express, is missing.
NO_NETWORK = re.compile(r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ENOTCACHED")


def fastapi_command() -> list[str]:
    command = [sys.executable, "-m", "uvicorn", "--app-dir", str(EXAMPLES), "fastapi_receiver:app"]
    return [*command, "--port", "0", "--no-use-colors"]


def flask_command() -> list[str]:
    return [sys.executable, "-m", "flask", "--app", str(EXAMPLES / "flask_receiver"), "run", "--port", "0"]


def django_command() -> list[str]:
    example = str(EXAMPLES / "django_receiver.py")
    return [sys.executable, example, "runserver", "--noreload", "127.0.0.1:0"]


def express_command() -> list[str]:
    return [node(), str(express_folder() / "receiver.mjs")]


COMMANDS: dict[str, Callable[[], list[str]]] = {
    "fastapi": fastapi_command,
    "flask": flask_command,
    "django": django_command,
    "express": express_command,
}


@functools.cache
def express_folder(name: str = "express") -> Path:
    """An unchanged example with the packages of its lock file installed; skips where npm has no network.

    It is put below .local with the same folders around it, because the lock file leads to the client by them. What is
    installed is kept until the lock file changes.
    """
    source = EXAMPLES / name
    lock = (source / "package-lock.json").read_bytes()
    base = ROOT / ".local" / name / hashlib.sha256(lock).hexdigest()[:16]
    folder = base / "clients" / "examples" / name
    base.mkdir(parents=True, exist_ok=True)
    # Tests run in several processes: the first one installs, the others wait for it.
    with (base / "lock").open("w") as waiting:
        fcntl.flock(waiting, fcntl.LOCK_EX)
        shutil.copytree(ROOT / "clients" / "javascript", base / "clients" / "javascript", dirs_exist_ok=True)
        shutil.copytree(EXAMPLES / "widget_page", folder.parent / "widget_page", dirs_exist_ok=True)
        shutil.copytree(
            source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "inbox")
        )
        installed = base / "installed"
        if not installed.exists():
            _install(folder)
            installed.touch()
    return folder


def _install(folder: Path) -> None:
    command = [npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    try:
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=INSTALLING, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install Express within {INSTALLING} s")
    if run.returncode != 0 and NO_NETWORK.search(run.stderr):
        pytest.skip("npm has neither a network nor Express in its cache")
    assert run.returncode == 0, run.stderr


class Server:
    """A running example: what it printed, and a way to send it something."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @functools.cached_property
    def port(self) -> int:
        """The free port that the server chose; available once it listens."""
        return int(self.line(r"http://127\.0\.0\.1:(\d+)")[1])

    def crash(self) -> None:
        """Kill the server in the middle of its work."""
        self.process.kill()
        self.process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def output(self) -> str:
        return "".join(self.lines)

    def line(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Wait until `pattern` was printed so many times; return where it was printed first."""
        deadline = time.monotonic() + PATIENCE
        while len(found := list(re.finditer(pattern, self.output()))) < times:
            alive = self.process.poll() is None
            assert alive, f"the server ended:\n{self.output()}"
            assert time.monotonic() < deadline, f"{pattern} not printed {times} times:\n{self.output()}"
            time.sleep(0.02)
        return found[0]

    def post(self, body: bytes, header: str | None, headers: Mapping[str, str] | None = None) -> int:
        """Send a delivery as Helpdesk does; return the status."""
        sent = {"content-type": "application/json", **(headers or {})}
        if header is not None:
            sent |= {"svc-signature": header, "portal-signature": header}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", "/webhooks", body=body, headers=sent)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def handled(self, event_id: str) -> int:
        return self.output().count(f"handled {event_id}:")


@contextmanager
def running(framework: str, folder: Path, try_again_after: float = 60) -> Iterator[Server]:
    """The example for `framework` with its inbox in `folder`, killed in the end as by a crash."""
    environment = {
        **os.environ,
        "HELPDESK_KEY": KEY,
        "INBOX": str(folder / "inbox"),
        "TRY_AGAIN_AFTER": str(try_again_after),
        "PORT": "0",
        "PYTHONPATH": str(ROOT / "clients" / "python" / "src"),
        "PYTHONUNBUFFERED": "1",
    }
    with subprocess.Popen(
        COMMANDS[framework](),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ) as process:
        server = Server(process)
        try:
            yield server
        finally:
            server.crash()
