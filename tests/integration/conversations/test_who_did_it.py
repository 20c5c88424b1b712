"""The system lines of transitions: the team's thread says who did what."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support import table as whole_table
from tests.support.api import Client

SESSION = "session-of-a-thread"
# The steps before it, the step, and what the line says after the name.
LINES = [
    ([], "resolve", "resolved this conversation."),
    ([], "close", "resolved this conversation."),
    (["resolve"], "reopen", "reopened this conversation."),
    ([], "take-over", "took this conversation over from the agent."),
    (["resolve"], "take-over", "reopened this conversation and took it over."),
    (["take-over"], "hand-back", "handed this conversation back to the agent."),
    ([], "archive", "archived this conversation."),
    (["archive"], "unarchive", "restored this conversation from the archive."),
]


@pytest.fixture
def begin(api: Client) -> Callable[[list[str]], str]:
    """Start a conversation and do some steps to it; return its path."""

    def start(steps: list[str]) -> str:
        written = api.post("/v1/messages", {"session": SESSION, "body": "Hello"}).body
        path = f"/v1/conversations/{written['conversationId']}"
        for step in steps:
            assert api.post(f"{path}/{step}").status == 200
        return path

    return start


def lines(api: Client, path: str) -> list[str]:
    entries = api.get(path).body["messages"]
    return [entry["body"] for entry in entries if entry["kind"] == "system"]


@pytest.mark.parametrize(("before", "step", "said"), LINES, ids=["-".join([*b, s]) for b, s, _ in LINES])
def test_a_line_names_the_person_and_what_they_did(
    member: Client, api: Client, begin: Callable[[list[str]], str], before: list[str], step: str, said: str
) -> None:
    path = begin(before)
    earlier = lines(api, path)

    assert member.post(f"{path}/{step}").status == 200

    assert lines(api, path) == [*earlier, f"Max Member {said}"]


def test_a_line_names_the_organization_for_a_key(
    api: Client, organization: NewOrganization, begin: Callable[[list[str]], str]
) -> None:
    name = organizations.get(organization.organization_id).name

    assert lines(api, begin(["resolve"])) == [f"{name} resolved this conversation."]


def test_a_line_sends_no_event_and_the_visitor_never_reads_it(
    api: Client, begin: Callable[[list[str]], str]
) -> None:
    path = begin(["archive"])

    assert whole_table.kinds() == ["conversation.created", "message.created"]
    assert len(lines(api, path)) == 1
    assert "archived this" not in repr(api.get(f"/v1/messages?session={SESSION}").body)


def test_a_transition_that_changes_nothing_leaves_no_line(
    api: Client, begin: Callable[[list[str]], str]
) -> None:
    path = begin(["hand-back", "reopen"])

    assert lines(api, path) == []
