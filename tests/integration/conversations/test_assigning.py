"""Assigning a conversation: only to a member, visible in the lists at once, without an event."""

from typing import Any

import pytest

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import assigning, repository
from helpdesk.conversations.errors import NotAMember
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.conversations import stored
from tests.support.people import make_person, token_of

SESSION = {"session": "session-to-assign", "body": "Hello"}


@pytest.fixture
def conversation(api: Client) -> str:
    return str(api.post("/v1/messages", SESSION).body["conversationId"])


@pytest.fixture
def ada(organization: NewOrganization) -> str:
    return make_person(organization.organization_id, role="member", name="Ada")


def assign(api: Client, conversation_id: str, user_id: Any) -> Answer:
    return api.post(f"/v1/conversations/{conversation_id}/assign", {"userId": user_id})


def lines(api: Client, conversation_id: str) -> list[str]:
    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    return [entry["body"] for entry in entries if entry["kind"] == "system"]


def test_a_member_is_assigned_and_unassigned_and_the_team_reads_by_whom(
    api: Client, organization: NewOrganization, conversation: str, ada: str
) -> None:
    ada_herself = Client(token_of(ada, organization.organization_id))
    seen = []
    for caller, user_id in ((api, ada), (ada_herself, None), (ada_herself, ada), (api, None)):
        assert assign(caller, conversation, user_id).body == {"ok": True}
        seen.append(api.get(f"/v1/conversations/{conversation}").body["conversation"]["assignee"])

    assert seen == [ada, None, ada, None]
    name = api.get("/v1/organization").body["name"]
    assert lines(api, conversation) == [
        f"{name} assigned this conversation to Ada.",
        "Ada unassigned this conversation.",
        "Ada assigned this conversation to themselves.",
        f"{name} unassigned this conversation.",
    ]


def test_assigning_sends_no_event_and_changes_neither_state_nor_activity(
    api: Client, organization: NewOrganization, conversation: str, ada: str
) -> None:
    whole_table.remove("EVENT")
    before = stored(organization.organization_id, conversation)

    assign(api, conversation, ada)

    assert whole_table.events() == []
    now = stored(organization.organization_id, conversation)
    assert {name for name in now if now.get(name) != before.get(name)} == {"assignee", "GSI3PK"}


def test_a_conversation_has_a_team_beside_its_assignee_and_what_is_left_out_stays(
    api: Client, conversation: str, ada: str
) -> None:
    team = api.post("/v1/teams", {"name": "Billing"}).body["id"]
    path = f"/v1/conversations/{conversation}"
    seen = []
    for body in (
        {"teamId": team},
        {"userId": ada},
        {"userId": None, "teamId": None},
        {"userId": ada, "teamId": team},
    ):
        assert api.post(f"{path}/assign", body).body == {"ok": True}
        now = api.get(path).body["conversation"]
        seen.append((now["team"], now["assignee"]))

    assert seen == [(team, None), (team, ada), (None, None), (team, ada)]
    name = api.get("/v1/organization").body["name"]
    assert lines(api, conversation)[2:] == [
        f"{name} unassigned this conversation. {name} removed this conversation from its team.",
        f'{name} assigned this conversation to Ada. {name} assigned this conversation to the team "Billing".',
    ]


@pytest.mark.parametrize("team", ["team_unknown", "", "#", "deleted"])
def test_a_conversation_is_not_assigned_to_a_team_that_does_not_exist(
    api: Client, conversation: str, team: str
) -> None:
    if team == "deleted":
        team = api.post("/v1/teams", {"name": "Billing"}).body["id"]
        api.delete(f"/v1/teams/{team}")

    answer = api.post(f"/v1/conversations/{conversation}/assign", {"teamId": team})

    assert (answer.status, answer.code) == (404, "team_not_found")
    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["team"] is None


def test_an_assignment_names_a_member_or_a_team(api: Client, conversation: str) -> None:
    answer = api.post(f"/v1/conversations/{conversation}/assign", {})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`userId`, `teamId` or both" in answer.message


@pytest.mark.parametrize("who", ["usr_unknown", "#", "", "stranger", "former member"])
def test_a_conversation_is_not_assigned_to_a_non_member(
    api: Client,
    organization: NewOrganization,
    other_organization: NewOrganization,
    conversation: str,
    ada: str,
    who: str,
) -> None:
    if who == "stranger":
        who = make_person(other_organization.organization_id, role="owner", name="Stranger")
    if who == "former member":
        table.delete(Member.key_for(organization.organization_id, ada))
        who = ada

    answer = assign(api, conversation, who)

    assert (answer.status, answer.code) == (400, "not_a_member")
    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["assignee"] is None
    assert lines(api, conversation) == []


def test_a_conversation_is_not_assigned_to_a_member_who_leaves_at_this_moment(
    organization: NewOrganization, conversation: str, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "name_of", lambda *_: "Ada, as she was read")
    table.delete(Member.key_for(organization.organization_id, ada))
    caller = Caller(organization.organization_id, key_id="key_1")

    with pytest.raises(NotAMember):
        assigning.assign(caller, conversation, {"user_id": ada})

    assert repository.conversations.get(organization.organization_id, conversation).assignee is None


def test_assigning_costs_four_calls_unassigning_three_and_the_same_again_two(
    api: Client, member: Client, conversation: str, ada: str
) -> None:
    costs: dict[str, list[int]] = {"key": [], "person": []}
    for name, caller in (("key", api), ("person", member)):
        for user_id in (ada, ada, None, None):
            with recorded_calls() as calls:
                assign(caller, conversation, user_id)
            costs[name].append(len(calls))

    # A token costs a read of its own, a key the name of its organization where there is a line to write.
    assert costs == {"key": [5, 2, 4, 2], "person": [5, 3, 4, 3]}


@pytest.mark.parametrize(
    ("steps", "which"),
    [
        ([], "open"),
        (["resolve"], "resolved"),
        (["archive"], "archived"),
        (["resolve", "archive"], "archived"),
        (["resolve", "reopen"], "open"),
        (["archive", "unarchive"], "open"),
        (["resolve", "archive", "unarchive"], "resolved"),
        (["take-over", "message"], "open"),
    ],
)
def test_an_assigned_conversation_is_in_the_list_of_its_state(
    api: Client, organization: NewOrganization, conversation: str, ada: str, steps: list[str], which: str
) -> None:
    assign(api, conversation, ada)
    for step in steps:
        if step == "message":
            api.post("/v1/messages", SESSION)
        else:
            assert api.post(f"/v1/conversations/{conversation}/{step}").status == 200

    item = stored(organization.organization_id, conversation)
    assert item["GSI3PK"] == f"ORG#{organization.organization_id}#ASSIGNED#{ada}#{which}"
    assert item["GSI3SK"] == item["GSI1SK"]


def test_an_archived_conversation_is_not_assigned(api: Client, conversation: str, ada: str) -> None:
    api.post(f"/v1/conversations/{conversation}/archive")

    for user_id in (ada, None, "usr_unknown"):
        assert assign(api, conversation, user_id).code == "conversation_archived"
