"""The operator's command knows the queues of a stack by its outputs."""

import os

import pytest

from scripts import stack_queues
from tests.support.template import template


def test_every_queue_of_the_outputs_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = {name: f"https://{name}" for name in template()["Outputs"]}
    for name in stack_queues.QUEUES:
        monkeypatch.setenv(f"{name.upper()}_QUEUE_URL", "")
    for name in ("DEAD_LETTERS_URL", "FACTS_DEAD_LETTERS_URL"):
        monkeypatch.setenv(name, "")
    stack_queues.use_queues(outputs)

    assert {name for name in stack_queues.QUEUES if not os.environ[f"{name.upper()}_QUEUE_URL"]} == set()
    assert os.environ["TOOL_SYNC_QUEUE_URL"] == "https://ToolSyncQueueUrl"
