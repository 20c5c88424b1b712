"""The deployed local stack that the end-to-end tests talk to."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scripts.local.operating import Operator
from scripts.local.settings import StackSettings, settings_for
from tests.e2e import own_stack as own


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m "not e2e"` leaves it out.

    The test that restarts the stack runs last, because every function that is called after it starts again.
    """
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)
    items.sort(key=lambda item: item.path == here / "test_restart_local.py")


@pytest.fixture(scope="session")
def own_stack() -> StackSettings | None:
    """Return where the tests' own stack is to be, or None when HELPDESK_STACK names one that runs already."""
    if os.environ.get("HELPDESK_STACK"):
        return None
    return own.settings(own.free_port())


@pytest.fixture(scope="session")
def stack(own_stack: StackSettings | None) -> Iterator[Mapping[str, str]]:
    """Return stack.json of a stack of the tests' own: base_url, secret_key, endpoint_url, region, table, ...

    HELPDESK_STACK names the stack.json of one that runs already, which is then left as it is. Start that one with
    the parameters of own_stack.py. The tests' own stack enforces the functions' policies, so a permission that is
    missing in template.yaml fails a test; HELPDESK_E2E_AUTH=false rules that cause out.
    """
    if own_stack is None:
        yield json.loads(Path(os.environ["HELPDESK_STACK"]).read_text(encoding="utf-8"))
        return
    try:
        yield own.start(own_stack)
    finally:
        own.stop()


@pytest.fixture(scope="session")
def operator(stack: Mapping[str, str]) -> Iterator[Operator]:
    """Return the operator of the stack, whose commands run in one process."""
    with Operator(settings_for(urlsplit(stack["endpoint_url"]).port or 0)) as started:
        yield started
