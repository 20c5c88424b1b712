"""A stack that was stopped holds what it held, and a stack that runs is left running."""

from collections.abc import Mapping

import pytest

from scripts.local import stack as local_stack
from scripts.local.progress import Progress
from scripts.local.settings import StackSettings
from tests.support.web import Web


def listed_conversations(stack: Mapping[str, str]) -> list[str]:
    listed = Web(stack["base_url"], stack["secret_key"]).get("/v1/conversations")
    assert listed.status == 200, listed
    return [conversation["id"] for conversation in listed.body["conversations"]]


def test_a_stack_that_runs_is_left_running(stack: Mapping[str, str], own_stack: StackSettings | None) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack that these tests may not touch")
    process = (own_stack.folder / "emulator.json").read_text(encoding="utf-8")

    assert local_stack.up(own_stack, Progress()) == stack
    assert (own_stack.folder / "emulator.json").read_text(encoding="utf-8") == process


def test_a_stack_that_was_stopped_is_ready_again_with_all_that_it_held(
    stack: Mapping[str, str], own_stack: StackSettings | None
) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack that these tests may not stop")
    before = listed_conversations(stack)
    assert before
    local_stack.down(own_stack, Progress())

    again = local_stack.up(own_stack, Progress())

    assert again == stack
    assert listed_conversations(stack) == before
