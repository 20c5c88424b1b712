"""The end-to-end tests' own local stack: where it is, and how it starts and stops."""

import os
import socket
from collections.abc import Mapping

from scripts.local import stack as local_stack
from scripts.local.emulator import Emulator
from scripts.local.progress import Progress
from scripts.local.settings import HOST, LOCAL, StackSettings, services_port, settings_for

# Short waits, so that a test sees all five attempts. The last two take several messages of a second each.
RETRY_DELAYS_SECONDS = (1, 1, 2, 3)
PARAMETERS = f"RetryDelaysSeconds={','.join(map(str, RETRY_DELAYS_SECONDS))} LongestHopSeconds=1"
FOLDER = LOCAL / "e2e"
# Those that the tests ask about, and those like them. All of them are embedded in tests/integration/knowledge.
GUIDES = ("*webhook*.md", "rate-limits.md")


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def settings(port: int) -> StackSettings:
    """Return the settings of the stack; HELPDESK_E2E_AUTH=false runs it without the functions' policies."""
    auth = os.environ.get("HELPDESK_E2E_AUTH") != "false"
    parameters = f"{PARAMETERS} ServicesUrl=http://{HOST}:{services_port(port)}"
    return settings_for(port, parameters, folder=FOLDER, auth=auth, guides=GUIDES)


def start(chosen: StackSettings) -> Mapping[str, str]:
    """Bring up a stack with an empty table, and return what stack.json holds. Errors: Problem."""
    # A run that was killed may have left its stack behind.
    Emulator(chosen).discard()
    for left in FOLDER.glob("*.json"):
        left.unlink()
    return local_stack.up(chosen, Progress())


def stop() -> None:
    """Stop the stack, whichever port it is on, and drop what it held; nothing happens where none runs."""
    Emulator(settings(free_port())).discard()  # the record in its folder names the process
