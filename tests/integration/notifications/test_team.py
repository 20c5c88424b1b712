"""Mail to the team: who gets it for what, what gathers, and what is said once."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.mail import Sent
from tests.support.team_mail import Team
from tests.support.workers import Workers

SESSION = "session-of-vera"


def write(api: Client, body: str = "Where is my order?", session: str = SESSION) -> str:
    sent = {"session": session, "body": body, "user": {"name": "Vera"}}
    return str(api.post("/v1/messages", sent).body["conversationId"])


def waiting(api: Client, member: Client) -> str:
    """Let a visitor write, and a teammate take over, so that the conversation waits for the team."""
    conversation = write(api)
    assert member.post(f"/v1/conversations/{conversation}/take-over").status == 200
    return conversation


def address(client: Client) -> str:
    return str(client.get("/v1/me").body["user"]["email"])


def choose(client: Client, *kinds: str) -> None:
    assert client.patch("/v1/me/notifications", {"mail": kinds}).status == 200


def test_a_conversation_that_waits_is_mailed_to_those_who_want_it(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    choose(admin, "waiting")
    conversation = waiting(api, member)
    assert team.pass_by(1.9) == []

    (sent,) = [mail for mail in team.pass_by(0.2) if mail.to == [address(admin)]]

    organization = admin.get("/v1/organization").body["name"]
    assert sent.subject == "Vera is waiting for an answer"
    assert sent.text == (
        f"{organization} · Where is my order?\n\nWhere is my order?\n\n"
        "Read and answer it in the console:\n\n"
        f"https://support.example.com/console/conversations/{conversation}\n\n"
        "Don't reply to this mail: nobody reads the replies. To choose what you are notified of:\n\n"
        "https://support.example.com/console/settings/me\n"
    )


def test_a_conversation_that_the_agent_answers_is_mailed_to_nobody(api: Client, team: Team) -> None:
    write(api)

    assert team.fan_out() == []


def test_more_messages_before_an_answer_cause_no_further_mail_and_one_after_it_does(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    choose(admin, "waiting")
    conversation = waiting(api, member)
    assert len(to(admin, team.pass_by(2))) == 1
    write(api, "Hello?")
    assert to(admin, team.pass_by(2)) == []
    member.post(f"/v1/conversations/{conversation}/reply", {"body": "It arrives tomorrow."})
    write(api, "And when?")

    (sent,) = to(admin, team.pass_by(2))

    assert "And when?" in sent.text
    assert "tomorrow" not in sent.text


def test_a_conversation_that_was_answered_meanwhile_is_mailed_to_nobody(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    choose(admin, "waiting")
    conversation = waiting(api, member)
    member.post(f"/v1/conversations/{conversation}/reply", {"body": "It arrives tomorrow."})

    assert team.pass_by(2) == []


@pytest.mark.parametrize("ended", ["resolve", "archive"])
def test_a_conversation_that_ended_meanwhile_is_mailed_to_nobody(
    api: Client, admin: Client, member: Client, team: Team, ended: str
) -> None:
    choose(admin, "waiting")
    conversation = waiting(api, member)
    team.fan_out()
    member.post(f"/v1/conversations/{conversation}/{ended}")

    assert team.pass_by(2) == []


def test_an_assignment_by_somebody_else_is_mailed_and_ones_own_is_not(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    theirs, own = write(api), write(api, session="another-session")
    whom = member.get("/v1/me").body["user"]["id"]
    admin.post(f"/v1/conversations/{theirs}/assign", {"userId": whom})
    member.post(f"/v1/conversations/{own}/assign", {"userId": whom})

    (sent,) = team.pass_by(2)

    assert (sent.to, sent.subject) == ([address(member)], "You were assigned the conversation with Vera")
    assert theirs in sent.text


def test_a_reply_in_an_assigned_conversation_is_mailed_to_its_assignee_alone(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    choose(admin, "waiting")
    conversation = waiting(api, member)
    member.post(
        f"/v1/conversations/{conversation}/assign", {"userId": member.get("/v1/me").body["user"]["id"]}
    )
    team.pass_by(2)
    member.post(f"/v1/conversations/{conversation}/reply", {"body": "It arrives tomorrow."})
    write(api, "And when?")

    (sent,) = team.pass_by(2)

    assert (sent.to, sent.subject) == ([address(member)], "Vera replied")


def test_a_call_that_waits_for_an_approval_is_mailed_once_to_those_who_decide(
    api: Client, admin: Client, member: Client, organization: NewOrganization, team: Team
) -> None:
    choose(admin, "approval")
    conversation = waiting(api, member)
    key = Conversation.key_for(organization.organization_id, conversation)
    table.change(key, set={"waiting_approvals": 1})

    (sent,) = to(admin, team.pass_by(2))
    assert sent.subject == "A tool call for Vera waits for an approval"
    member.post(f"/v1/conversations/{conversation}/hand-back")
    assert to(admin, team.pass_by(2)) == []


def test_what_happens_within_two_minutes_is_one_mail(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    conversation = waiting(api, admin)
    write(api, "Hello?")
    admin.post(
        f"/v1/conversations/{conversation}/assign", {"userId": member.get("/v1/me").body["user"]["id"]}
    )

    (sent,) = to(member, team.pass_by(2))

    assert sent.subject == "You were assigned the conversation with Vera"
    assert sent.text.count("Where is my order?") == 2
    assert "Hello?" in sent.text


def test_a_member_who_left_and_one_who_turned_it_off_get_nothing(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    conversation = write(api)
    choose(member, "reply")
    admin.post(
        f"/v1/conversations/{conversation}/assign", {"userId": member.get("/v1/me").body["user"]["id"]}
    )

    assert team.pass_by(2) == []


def test_without_mail_nothing_is_looked_at(
    api: Client, member: Client, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_FROM", "")
    settings.cache_clear()
    waiting(api, member)

    assert team.fan_out() == []


def test_what_the_team_was_notified_of_is_erased_with_the_conversation(
    api: Client, admin: Client, member: Client, team: Team
) -> None:
    conversation = waiting(api, member)
    team.pass_by(2)
    assert len(whole_table.of_kind("TEAMNOTICE")) == 1
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    admin.delete(f"/v1/customers/{customer}")
    Workers().run()

    assert whole_table.of_kind("TEAMNOTICE") == []


@pytest.mark.parametrize("value", ["waiting", ["news"], [""], [1], True])
def test_what_nobody_is_notified_of_is_refused(member: Client, value: Any) -> None:
    assert member.patch("/v1/me/notifications", {"mail": value}).code == "invalid_request"


def test_everyone_is_notified_of_what_concerns_them_and_keeps_what_they_choose(member: Client) -> None:
    assert member.get("/v1/me/notifications").body == {"mail": ["assigned", "reply"]}

    answer = member.patch("/v1/me/notifications", {"mail": ["reply", "waiting", "reply"]})

    assert answer.body == {"mail": ["waiting", "reply"]}
    assert member.get("/v1/me/notifications").body == {"mail": ["waiting", "reply"]}


def to(client: Client, mails: list[Sent]) -> list[Sent]:
    return [mail for mail in mails if mail.to == [address(client)]]
