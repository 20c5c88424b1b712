"""Runs the stand-ins beside a local stack: `python -m scripts.services --port … --root … --folder …`.

`make up SERVICES=fake` starts it. What the services hold is in the folder, so that a connection outlives a restart.
"""

import argparse
import json
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from scripts.services.chatcommunity_desk import ChatCommunityDesk
from scripts.services.chatmirror_desk import ChatMirrorDesk
from scripts.services.codehost_desk import CodeHostDesk
from scripts.services.desks import Desk, Desks, Outlet
from scripts.services.server import Services
from scripts.services.tracker_desk import TrackerDesk

DESKS: Mapping[str, Callable[[Outlet], Desk]] = {
    "codehost": CodeHostDesk,
    "chatmirror": ChatMirrorDesk,
    "chatcommunity": ChatCommunityDesk,
    "tracker": TrackerDesk,
}
"""The stand-ins by their apps. Each takes where it sends what it has to say."""

APPS = "apps.json"
STATE = "state.pickle"
_SEND_SECONDS = 30


class Postman:
    """Sends to the local stack what the services send, one after the other."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._waiting: queue.Queue[tuple[str, Mapping[str, str], str]] = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def of(self, app: str) -> Outlet:
        """Return where an app's service sends to."""
        return lambda headers, body: self._waiting.put((app, headers, body))

    def _run(self) -> None:
        with httpx.Client(timeout=_SEND_SECONDS, trust_env=False) as client:
            while True:
                app, headers, body = self._waiting.get()
                try:
                    answer = client.post(f"{self._root}/v1/hooks/{app}", content=body, headers=dict(headers))
                    said = f"{answer.status_code} {answer.text}"
                except httpx.HTTPError as problem:
                    said = repr(problem)
                print(f"{app}: {said}", flush=True)


def run(port: int, root: str, folder: Path) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    folder.mkdir(parents=True, exist_ok=True)
    postman = Postman(root)
    desks: dict[str, Desk] = {app: desk(postman.of(app)) for app, desk in DESKS.items()}
    _load(desks, folder / STATE)
    apps = {app: dict(desk.credentials()) for app, desk in desks.items()}
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with Services(Desks(desks, root, lambda: _save(desks, folder / STATE)), port=port):
        _write(folder / APPS, json.dumps(apps).encode())
        ended.wait()


def _load(desks: Mapping[str, Desk], state: Path) -> None:
    try:
        kept: dict[str, dict[str, Any]] = pickle.loads(state.read_bytes())
    except FileNotFoundError:
        return
    except (AttributeError, ImportError, pickle.UnpicklingError, EOFError) as changed:
        print(
            f"The services begin from nothing: what they held is of another version ({changed}).", flush=True
        )
        return
    for app, desk in desks.items():
        vars(desk.service).update(kept.get(app, {}))


def _save(desks: Mapping[str, Desk], state: Path) -> None:
    kept = {
        app: {name: value for name, value in vars(desk.service).items() if not callable(value)}
        for app, desk in desks.items()
    }
    _write(state, pickle.dumps(kept))


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_bytes(content)
    unfinished.replace(path)


def main() -> int:
    """Run them, as the command's words say."""
    parser = argparse.ArgumentParser(prog="python -m scripts.services", description="Stand-ins of services.")
    parser.add_argument("--port", type=int, required=True, help="where they listen, on 127.0.0.1")
    parser.add_argument("--root", required=True, help="the local stack's address, which /v1/... follows")
    parser.add_argument("--folder", type=Path, required=True, help="where what they hold is kept")
    given = parser.parse_args()
    run(given.port, given.root, given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
