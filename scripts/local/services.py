"""`SERVICES=fake`: stand-ins of the services that organizations connect, beside the local stack, with pages to act on.

They run in a process of their own, which `make down` stops. What they hold stays in the stack's folder.
"""

import json
import os
import time

import httpx

from scripts.local import processes
from scripts.local.operating import Operator, RefusedError
from scripts.local.processes import ProcessRecord
from scripts.local.progress import Problem, Progress
from scripts.local.settings import StackSettings

START_SECONDS = 20
STOP_SECONDS = 10


class StandIns:
    """One stack's stand-ins: their process, their log and what they hold."""

    def __init__(self, settings: StackSettings) -> None:
        self._settings = settings
        self._folder = settings.folder / "services"
        self._record_file = self._folder / "process.json"
        self._apps = self._folder / "apps.json"
        self.log = self._folder / "services.log"

    def start(self, operator: Operator, progress: Progress) -> None:
        """Start them again, if the stack has them, and enter their apps as its operator. Errors: Problem."""
        self.stop()
        if not self._settings.services:
            return
        progress.say(f"Starting stand-ins of services at {self._settings.services_url}.")
        self._spawn()
        self._wait_until_they_answer()
        apps = json.loads(self._apps.read_text(encoding="utf-8"))
        for app, credentials in apps.items():
            self._enter(operator, app, credentials)

    def stop(self) -> None:
        """Stop them, if they run."""
        record = ProcessRecord.load(self._record_file)
        if record is not None and record.runs():
            record.stop(STOP_SECONDS)
        self._record_file.unlink(missing_ok=True)

    def _enter(self, operator: Operator, app: str, credentials: dict[str, str]) -> None:
        values = dict(credentials)
        if "private_key" in values:
            key = self._folder / f"{app}.pem"
            key.touch(mode=0o600)
            key.write_text(values["private_key"], encoding="utf-8")
            values["private_key"] = str(key)
        try:
            operator.run("set-app", app, *(f"{name}={value}" for name, value in values.items()))
        except RefusedError as refused:
            raise Problem(f"The app {app} could not be entered: {refused}") from None

    def _spawn(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._apps.unlink(missing_ok=True)
        settings = self._settings
        words = ["--port", str(settings.services_port), "--root", settings.base_url]
        words = ["-m", "scripts.services", *words, "--folder", str(self._folder)]
        processes.start(words, self.log, os.environ, self._record_file)

    def _wait_until_they_answer(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        # They write their apps once the port is theirs; what answers before that is something else.
        while not (self._apps.exists() and self._answer()):
            record = ProcessRecord.load(self._record_file)
            if record is None or not record.runs() or time.monotonic() > deadline:
                self.stop()
                raise Problem(
                    f"The stand-ins did not start on port {self._settings.services_port}. If another program has that "
                    f"port, choose another PORT. Their log: {self.log}"
                )
            time.sleep(0.1)

    def _answer(self) -> bool:
        try:
            return httpx.get(self._settings.services_url, timeout=2, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False
