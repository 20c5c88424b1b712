"""Runs the deployed functions that have a schedule, for as long as the emulator of a stack runs.

`make dev` and `make up` start it beside the emulator, in a process of its own: it ends with the emulator, however that
ends. Tests start stacks without it and call such functions themselves.
"""

import argparse
import json
import os
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from scripts.local.deployment import client
from scripts.local.emulator import Emulator
from scripts.local.processes import ProcessRecord
from scripts.local.schedules import Timetable, of_template
from scripts.local.settings import REGION, ROOT, StackSettings

STOP_SECONDS = 5
_LOOKS_EVERY_SECONDS = 0.5


class Scheduler:
    """One stack's scheduler: its process and its log."""

    def __init__(self, settings: StackSettings) -> None:
        self._settings = settings
        self._record_file = settings.folder / "scheduler.json"
        self.log = settings.folder / "scheduler.log"

    def runs(self) -> bool:
        """Say whether the scheduler that this stack started still runs."""
        record = ProcessRecord.load(self._record_file)
        return record is not None and record.runs()

    def start(self) -> None:
        """Start it, in place of one that runs: the template may have changed."""
        self.stop()
        pid = os.posix_spawn(
            sys.executable,
            [
                *(sys.executable, "-m", "scripts.local.scheduler"),
                *("--port", str(self._settings.port), "--folder", str(self._settings.folder)),
            ],
            {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(self.log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,  # as the emulator: Ctrl-C reaches the program that ends both in order
        )
        ProcessRecord.of(pid).save(self._record_file)

    def stop(self) -> None:
        """Stop it, if it runs."""
        record = ProcessRecord.load(self._record_file)
        if record is not None and record.runs():
            record.stop(STOP_SECONDS)
        self._record_file.unlink(missing_ok=True)


def run(settings: StackSettings) -> None:
    """Invoke what is due until the emulator that runs now has ended, or another took its place."""
    emulator = Emulator(settings)
    process = emulator.process()
    timetable = Timetable(of_template(), time.time())
    functions = client("lambda", settings)
    while process is not None and process.runs() and emulator.process() == process:
        for each in timetable.due(time.time()):
            event = each.event or json.dumps(_event(each.function))
            try:
                functions.invoke(FunctionName=each.function, InvocationType="Event", Payload=event.encode())
                _say(f"{each.function} is run{f' with {each.event}' if each.event else ''}")
            except (BotoCoreError, ClientError) as problem:
                _say(f"{each.function} could not be run: {problem}")
        time.sleep(_LOOKS_EVERY_SECONDS)


def _event(name: str) -> dict[str, object]:
    """Return what EventBridge sends."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:000000000000:rule/{name}"],
        "detail": {},
    }


def _say(line: str) -> None:
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {line}", flush=True)


def main() -> None:
    """Run the scheduler of a stack."""
    parser = argparse.ArgumentParser(prog="python -m scripts.local.scheduler", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    run(StackSettings(port=given.port, folder=given.folder))


if __name__ == "__main__":
    main()
