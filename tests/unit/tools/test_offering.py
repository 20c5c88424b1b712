"""Which tools the agent's model is offered where not all of them fit."""

from copy import replace

from helpdesk.tools.record import Tool
from helpdesk.tools.service import offered
from tests.support.tools import declaration
from tests.unit.tools.test_planning import endpoint, stored

FIRST, SECOND = endpoint("tool_1"), endpoint("tool_2")


def tool(name: str, endpoint_id: str = "tool_1", size: int = 0) -> Tool:
    return stored(replace(declaration(name), description="x" * size), endpoint_id=endpoint_id)


def test_an_endpoint_that_was_added_later_takes_no_place_of_an_earlier_one() -> None:
    earlier = [tool(f"z{number:03}") for number in range(100)]
    later = [tool(f"a{number:03}", "tool_2") for number in range(100)]
    found = [each.name for each in offered([FIRST, SECOND], later + earlier)]
    assert len(found) == 128
    assert found == [f"a{number:03}" for number in range(28)] + [each.name for each in earlier]


def test_a_tool_for_which_no_bytes_are_left_is_left_out_and_a_smaller_one_fits() -> None:
    tools = [tool("a", size=50_000), tool("b", size=20_000), tool("c", size=10_000)]
    assert [each.name for each in offered([FIRST], tools)] == ["a", "c"]


def test_what_is_switched_off_or_withdrawn_takes_no_place() -> None:
    tools = [replace(tool("a"), enabled=False), replace(tool("b"), withdrawn=True), tool("c")]
    assert [each.name for each in offered([FIRST], tools)] == ["c"]
