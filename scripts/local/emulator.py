"""MiniStack, the AWS emulator: started from this project's own environment, on the loopback address only.

Version 1.5.33 writes its state only when it is asked to end (SIGTERM), except S3's objects, which it writes at once.
Functions run as its child processes with its environment, so that is kept small.
"""

import http.client
import json
import os
import shutil
import socket
import sys
import time
from pathlib import Path

from scripts.local import ministack, processes
from scripts.local.processes import ProcessRecord
from scripts.local.progress import Problem, Progress
from scripts.local.settings import HOST, REGION, StackSettings

START_SECONDS = 60
# Saving the state takes about two seconds. An upload in progress delays it.
STOP_SECONDS = 60


class Emulator:
    """One stack's emulator: its process, its log and its state."""

    def __init__(self, settings: StackSettings) -> None:
        self._settings = settings
        self._folder = settings.folder
        self.record_file = settings.folder / "emulator.json"
        self.log = settings.folder / "emulator.log"
        # Valid for the state that was saved with it: an end without saving returns to an earlier state.
        self.deployment_record = settings.folder / "deployed.json"

    @property
    def state_folders(self) -> list[Path]:
        """Return where the emulated table, buckets, mails and everything else are kept between runs."""
        return [self._folder / "state", self._folder / "s3", self.mails]

    @property
    def mails(self) -> Path:
        """Return where the mails are kept (scripts/mailbox)."""
        return self._folder / "mails"

    def runs(self) -> bool:
        """Return whether the emulator that this stack started still runs."""
        record = self.process()
        return record is not None and record.runs()

    def process(self) -> ProcessRecord | None:
        """Return the process that was started last; None after it was stopped."""
        return ProcessRecord.load(self.record_file)

    def answers(self) -> bool:
        """Return whether it is ready for requests."""
        connection = http.client.HTTPConnection(HOST, self._settings.port, timeout=5)
        try:
            connection.request("GET", "/_ministack/health")
            health = json.loads(connection.getresponse().read())
        except (OSError, ValueError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return bool(health.get("auth") == ("enabled" if self._settings.auth else "disabled"))

    def start(self, progress: Progress) -> None:
        """Start it, or keep the one that runs. Errors: Problem, when the port is taken or it does not start."""
        self.begin(progress)
        self.wait_until_it_answers()

    def begin(self, progress: Progress) -> None:
        """Start its process, or keep the one that runs. Errors: Problem, when the port is taken."""
        if self.runs():
            if self.answers():
                progress.say(f"The emulator runs already, on {HOST}:{self._settings.port}.")
                return
            progress.say("The emulator of an earlier start does not answer; restarting it.")
            self.stop()
        elif self.record_file.exists():
            progress.say(
                "The emulator of an earlier start ended without saving; continuing from what it saved last."
            )
            self.record_file.unlink()
            self.deployment_record.unlink(missing_ok=True)
        self._require_free_port()
        if (self.state_folders[0] / "large").exists():
            progress.say("The state of an earlier version can't be read; starting with an empty stack.")
            self.forget()
        self._rewind_streams()
        progress.say(f"Starting the AWS emulator on {HOST}:{self._settings.port}.")
        self._spawn()

    def stop(self, grace_seconds: float = STOP_SECONDS) -> bool:
        """Stop it, if it is the one that was started. Return whether there was one.

        It's killed if it doesn't end within the grace period. Its state is then not saved.
        """
        record = ProcessRecord.load(self.record_file)
        running = record is not None and record.runs()
        if record is not None and running and not record.stop(grace_seconds):
            self.deployment_record.unlink(missing_ok=True)
        self.record_file.unlink(missing_ok=True)
        shutil.rmtree(self._folder / "tmp", ignore_errors=True)
        return running

    def discard(self) -> None:
        """End it, if it runs, without saving its state, and drop everything it kept."""
        self.stop(grace_seconds=0)
        self.forget()

    def forget(self) -> None:
        """Drop everything it kept. Only while it is stopped."""
        for folder in self.state_folders:
            shutil.rmtree(folder, ignore_errors=True)
        self.deployment_record.unlink(missing_ok=True)

    def _require_free_port(self) -> None:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, self._settings.port))
            except OSError:
                port = self._settings.port
                raise Problem(
                    f"Port {port} is taken by another program: stop that one, or choose a port: make up PORT={port + 1}"
                ) from None

    def _rewind_streams(self) -> None:
        """Make readers of the table's stream start at its beginning.

        The emulator saves their positions and not the stream, which is empty after a start. With the old positions it
        would skip as many new records as there were before.
        """
        file = self.state_folders[0] / "lambda.json"
        try:
            state = json.loads(file.read_text(encoding="utf-8"))
            state["payload"]["dynamodb_stream_positions"]["data"].clear()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return
        rewound = file.with_suffix(".new")
        rewound.write_text(json.dumps(state), encoding="utf-8")
        rewound.replace(file)

    def _spawn(self) -> None:
        temporary = self._folder / "tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        words = ["-m", "scripts.local.ministack"]
        processes.start(words, self.log, self._environment(temporary), self.record_file)

    def _environment(self, temporary: Path) -> dict[str, str]:
        state, objects, mails = self.state_folders
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "HOME": str(temporary),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "GATEWAY_PORT": str(self._settings.port),
            "BIND_HOST": HOST,
            "MINISTACK_HOST": HOST,
            "MINISTACK_REGION": REGION,
            "AUTH": "true" if self._settings.auth else "false",
            "PERSIST_STATE": "1",
            "STATE_DIR": str(state),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(objects),
            ministack.MAILS: str(mails),
            # Functions run as plain processes. Otherwise it looks for Docker and removes containers there.
            "LAMBDA_EXECUTOR": "local",
            # Seconds after which a function's further processes end, beyond the first; a burst leaves many.
            "LAMBDA_WARM_TTL_SECONDS": "60",
            "DOCKER_HOST": f"unix://{temporary}/no-docker",
            # Listeners that this project does not use.
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
        }

    def wait_until_it_answers(self) -> None:
        """Wait until it is ready for requests. Errors: Problem, when it ends or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if not self.runs():
                self.record_file.unlink(missing_ok=True)
                raise Problem(f"The emulator ended at once; its log says why: {self.log}")
            if time.monotonic() > deadline:
                self.stop()
                raise Problem(f"The emulator did not answer within {START_SECONDS} s; its log: {self.log}")
            time.sleep(0.1)
