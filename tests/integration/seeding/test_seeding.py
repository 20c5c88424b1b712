"""Filling a stack with conversations: what a newcomer's `make seed` writes, read back through the API."""

from collections import Counter
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from scripts.local.progress import Problem, Progress
from scripts.seeding import plan
from scripts.seeding.__main__ import Stack, _seed
from scripts.seeding.simulate import Desk, session_of, simulate
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import make_person


@pytest.fixture
def stack(organization: NewOrganization) -> Stack:
    make_person(organization.organization_id, role="member", name="Max Member")
    stack_json = {
        "organization_id": organization.organization_id,
        "table": settings().table_name,
        "base_url": "https://api.example.com",
    }
    return Stack(clients.dynamodb(), clients.sqs(), settings().search_queue_url, stack_json)


def test_seeded_conversations_are_read_through_the_api(
    api: Client, stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    _seed(stack, 20, 7, Progress())

    conversations: list[Any] = []
    for archived in ("false", "true"):
        conversations += api.get(f"/v1/conversations?limit=200&archived={archived}").body["conversations"]
    assert len(conversations) == 20
    thread = api.get(f"/v1/messages?session={session_of(0, 7)}").body["conversations"]
    assert thread[0]["messages"][0]["sender"] == "visitor"
    assert "20 conversations" in capsys.readouterr().out


def test_history_is_not_sent_out_again(stack: Stack) -> None:
    """The stream and a replay let through what has an `entity`."""
    _seed(stack, 5, 7, Progress())

    events = whole_table.outbox()
    assert events
    assert not [item for item in whole_table.everything() if "entity" in item and item["SK"] == "EVENT"]


def test_every_conversation_gets_a_search_job(stack: Stack) -> None:
    _seed(stack, 12, 7, Progress())

    waiting = clients.sqs().get_queue_attributes(
        QueueUrl=stack.search_queue, AttributeNames=["ApproximateNumberOfMessages"]
    )
    assert waiting["Attributes"]["ApproximateNumberOfMessages"] == "12"


def test_a_seed_is_used_once(stack: Stack) -> None:
    _seed(stack, 1, 7, Progress())
    with pytest.raises(Problem, match="make seed SEED=8"):
        _seed(stack, 1, 7, Progress())


def lived(organization: str, count: int) -> dict[int, list[dict[str, Any]]]:
    team = [Caller(organization, person=Person("usr_1", "Max", Role.MEMBER))] * plan.TEAM
    member = {"PK": f"ORG#{organization}#MEMBER", "SK": "MEMBER#usr_1", "userId": "usr_1", "name": "Max"}
    member |= {"email": "max@example.com", "role": "member"}
    wire = {name: {"S": value} for name, value in member.items()} | {"joinedAt": {"N": "1"}}
    desk = Desk(organization, [wire], team, [], "https://api.example.com", 1_763_712_000_000)
    return {visitor.number: simulate(desk, visitor) for visitor in plan.visitors(count, desk.seed)}


def test_the_same_seed_makes_the_same_items_but_for_the_secret_in_a_files_address() -> None:
    def without_secrets(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [item for item in items if "png" not in repr(item)]

    first, second = lived("org_1", 12), lived("org_1", 12)
    assert {n: without_secrets(each) for n, each in first.items()} == {
        n: without_secrets(each) for n, each in second.items()
    }


@pytest.mark.parametrize("count", [1, 50, 1_000])
def test_the_plan_has_the_requested_number_of_conversations(count: int) -> None:
    numbers = [c.number for visitor in plan.visitors(count, 1) for c in visitor.conversations]
    assert sorted(numbers) == list(range(count))


def test_new_conversations_do_not_depend_on_the_number_of_old_ones() -> None:
    few = {each.number: each for each in plan.visitors(50, 1)}
    many = {each.number: each for each in plan.visitors(2_000, 1) if each.number < 50}
    assert few == many


def test_the_newest_fifty_are_of_every_kind() -> None:
    ends = Counter(c.end.value for visitor in plan.visitors(50, 1) for c in visitor.conversations)
    assert ends == {"waiting": 14, "answered": 6, "agent": 6, "snoozed": 4, "resolved": 14, "archived": 6}
