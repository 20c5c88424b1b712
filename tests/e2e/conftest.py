"""The deployed local stack that the end-to-end tests talk to."""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from scripts.local import stack as local_stack
from scripts.local.emulator import Emulator
from scripts.local.progress import Progress
from scripts.local.settings import HOST, LOCAL, StackSettings, settings_for

# Retries follow a second after each other, so that a test sees all five attempts.
PARAMETERS = "RetryDelaysSeconds=1,1,1,1"
FOLDER = LOCAL / "e2e"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m "not e2e"` leaves it out."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def own_stack() -> StackSettings | None:
    """Return where the tests' own stack is to be, or None when HELPDESK_STACK names one that runs already."""
    if os.environ.get("HELPDESK_STACK"):
        return None
    auth = os.environ.get("HELPDESK_E2E_AUTH") != "false"
    return settings_for(_free_port(), PARAMETERS, folder=FOLDER, auth=auth)


@pytest.fixture(scope="session")
def stack(own_stack: StackSettings | None) -> Iterator[Mapping[str, str]]:
    """Return what stack.json tells of a stack of the tests' own: base_url, secret_key, endpoint_url, region, table, ...

    HELPDESK_STACK names the stack.json of one that runs already, which is then left as it is (start it with
    PARAMETERS="RetryDelaysSeconds=1,1,1,1"). The tests' own enforces the functions' policies, so a permission that is
    missing in template.yaml fails a test; HELPDESK_E2E_AUTH=false tells that cause from others.
    """
    if own_stack is None:
        yield json.loads(Path(os.environ["HELPDESK_STACK"]).read_text(encoding="utf-8"))
        return
    emulator = Emulator(own_stack)
    # A run that was killed may have left its stack behind; this one begins with an empty table.
    emulator.stop()
    emulator.forget()
    for left in FOLDER.glob("*.json"):
        left.unlink()
    try:
        yield local_stack.up(own_stack, Progress())
    finally:
        emulator.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
