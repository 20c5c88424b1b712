"""Writing to a customer first: the conversation it goes to, and its events."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.state import Transition
from helpdesk.customers import repository
from helpdesk.customers.record import Customer
from helpdesk.outreach import service
from helpdesk.outreach.schemas import OutreachInput
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.mail import Sent, carry, jobs

EMAIL = "vera@example.com"
SESSION = "session-of-vera"
SEEDS = 6


def visit(api: Client, body: str = "Hello", session: str = SESSION, **user: Any) -> tuple[str, str]:
    """Let a visitor write; return the ids of the conversation and the customer."""
    sent = {"session": session, "body": body, **({"user": user} if user else {})}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    found = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    return str(conversation), str(found["customer"]["id"])


def outreach(client: Client, customer: str, body: str = "Your refund is on its way.", **more: Any) -> Answer:
    return client.post(f"/v1/customers/{customer}/messages", {"body": body, **more})


def with_mail_alone(organization: NewOrganization, customer_id: str = "cus_mail", **profile: Any) -> str:
    """Make a customer who never wrote in a session, as one that was imported."""
    home = organization.organization_id
    item = {
        **Customer.key_for(home, customer_id).attributes(),
        "id": customer_id,
        "createdAt": 1,
        "updatedAt": 1,
        "GSI1PK": Customer.partition_for(home, index="GSI1"),
        "GSI1SK": customer_id,
        **profile,
    }
    table.put_new(item)
    return customer_id


def test_it_continues_the_newest_open_conversation_and_keeps_its_handler(api: Client, member: Client) -> None:
    conversation, customer = visit(api)
    whole_table.remove("EVENT")

    answer = outreach(member, customer)

    assert answer.status == 200
    assert answer.body["conversationId"] == conversation
    read = api.get(f"/v1/conversations/{conversation}").body
    assert (read["conversation"]["handledBy"], read["conversation"]["awaitingHuman"]) == ("agent", False)
    message = read["messages"][-1]
    assert message["id"] == answer.body["messageId"]
    assert message["agent"] == {"kind": "human", "name": "Max Member", "avatarUrl": None}
    (event,) = whole_table.events()
    assert event["type"] == "message.created"
    assert event["data"]["conversation"] == {"id": conversation, "status": "open", "awaitingHuman": False}
    assert event["data"]["message"]["id"] == answer.body["messageId"]


@pytest.mark.parametrize("ended", ["resolve", "archive"])
def test_it_starts_a_conversation_that_the_team_handles_if_none_is_open(api: Client, ended: str) -> None:
    before, customer = visit(api)
    api.post(f"/v1/conversations/{before}/{ended}")
    whole_table.remove("EVENT")

    answer = outreach(api, customer, "\nYour refund\nis on its way.")

    conversation = answer.body["conversationId"]
    assert conversation != before
    shown = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    assert shown["customer"]["id"] == customer
    assert {name: shown[name] for name in ("status", "handledBy", "awaitingHuman", "subject", "page")} == {
        "status": "open",
        "handledBy": "team",
        "awaitingHuman": False,
        "subject": "Your refund",
        "page": None,
    }
    created, message = whole_table.events()
    state = {"id": conversation, "status": "open", "awaitingHuman": False}
    assert (created["type"], created["data"]) == ("conversation.created", {"conversation": state})
    assert (message["type"], message["data"]["conversation"]) == ("message.created", state)
    assert message["data"]["message"]["sender"] == "agent"
    assert message["data"]["message"]["agent"]["kind"] == "human"
    assert created["createdAt"] == message["createdAt"]


def test_the_visitor_sees_it_and_their_answer_waits_for_the_team(api: Client) -> None:
    before, customer = visit(api)
    api.post(f"/v1/conversations/{before}/resolve")
    started = outreach(api, customer).body["conversationId"]

    history = api.get(f"/v1/messages?session={SESSION}").body["conversations"]
    assert [message["body"] for message in history[0]["messages"]] == ["Your refund is on its way."]
    assert visit(api, "Thank you")[0] == started
    shown = api.get(f"/v1/conversations/{started}").body["conversation"]
    assert (shown["handledBy"], shown["awaitingHuman"]) == ("team", True)
    assert "agent" not in {job["queue"] for job in whole_table.outbox()[-1]["jobs"]}


def test_a_conversation_that_it_started_can_be_resolved_and_reopened(
    api: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    customer = with_mail_alone(organization, email=EMAIL)
    started = outreach(api, customer).body["conversationId"]
    for move in ("resolve", "reopen", "hand-back"):
        assert api.post(f"/v1/conversations/{started}/{move}").status == 200

    assert api.get(f"/v1/conversations/{started}").body["conversation"]["handledBy"] == "agent"
    assert outreach(api, customer, "Once more").body["conversationId"] == started


def test_a_key_writes_as_the_organization(api: Client) -> None:
    conversation, customer = visit(api)
    outreach(api, customer)

    (organization,) = whole_table.of_kind("ORG")
    message = api.get(f"/v1/conversations/{conversation}").body["messages"][-1]
    assert message["agent"]["name"] == organization["name"]


def test_attachments_that_are_missing_or_too_many_are_refused(api: Client) -> None:
    _, customer = visit(api)
    file = {"id": "file_unknown", "name": "a.txt"}

    assert outreach(api, customer, attachments=[file]).code == "attachment_missing"
    assert outreach(api, customer, attachments=[file] * 7).code == "too_many_attachments"


@pytest.mark.parametrize("profile", [{}, {"email": "not an address"}, {"email": ""}])
def test_a_customer_without_session_and_address_cannot_be_reached(
    api: Client, organization: NewOrganization, mails: list[Sent], profile: dict[str, str]
) -> None:
    answer = outreach(api, with_mail_alone(organization, **profile))

    assert (answer.status, answer.code) == (400, "customer_unreachable")
    assert answer.body["error"]["message"] == (
        "This customer has no session to see a message in and no email address that this deployment can send to. "
        "Add their address with PATCH /v1/customers/{id}, or have them write to you first with POST /v1/messages."
    )
    assert whole_table.of_kind("CONV") == []


def test_an_address_alone_is_unreachable_if_no_mail_is_set_up(
    api: Client, organization: NewOrganization
) -> None:
    assert outreach(api, with_mail_alone(organization, email=EMAIL)).code == "customer_unreachable"


def test_a_customer_with_an_address_alone_gets_one_conversation(
    api: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    customer = with_mail_alone(organization, email=EMAIL)
    first = outreach(api, customer).body
    second = outreach(api, customer).body
    carry()

    assert first["conversationId"] == second["conversationId"]
    assert [sent.to for sent in mails] == [[EMAIL], [EMAIL]]
    shown = api.get(f"/v1/conversations?customerId={customer}").body["conversations"]
    assert [one["id"] for one in shown] == [first["conversationId"]]


def sending(organization: NewOrganization, customer: str, number: int) -> Callable[[], str]:
    caller = Caller(organization.organization_id, person=Person("usr_1", "Max", Role.MEMBER))
    written = OutreachInput(body=f"number {number}")
    return lambda: service.send(caller, customer, written).conversation_id


@pytest.mark.parametrize("has_session", [True, False])
def test_several_at_once_start_one_conversation(
    api: Client, organization: NewOrganization, mails: list[Sent], has_session: bool
) -> None:
    for seed in range(SEEDS):
        if has_session:
            before, customer = visit(api, session=f"session-{seed}", email=EMAIL)
            api.post(f"/v1/conversations/{before}/resolve")
        else:
            customer = with_mail_alone(organization, f"cus_{seed}", email=EMAIL)
        whole_table.remove("EVENT", "JOB")

        outcomes = interleaved([sending(organization, customer, number) for number in range(3)], seed)

        (started,) = set(outcomes.all())
        assert len(api.get(f"/v1/conversations/{started}").body["messages"]) == 3
        assert sorted(whole_table.kinds()) == ["conversation.created"] + ["message.created"] * 3
        assert len(jobs()) == 3


def test_it_and_a_visitors_message_at_once_make_one_conversation(
    api: Client, organization: NewOrganization
) -> None:
    home = organization.organization_id
    for seed in range(SEEDS * 2):
        session = f"session-{seed}"
        before, customer = visit(api, session=session)
        api.post(f"/v1/conversations/{before}/resolve")
        message = MessageInput(session=session, body="I have another question")
        whole_table.remove("EVENT")

        outcomes = interleaved(
            [
                sending(organization, customer, 1),
                lambda message=message: messages.post(home, message).conversation_id,  # type: ignore[misc]
            ],
            seed,
        )

        (started,) = set(outcomes.all())
        assert len(api.get(f"/v1/conversations/{started}").body["messages"]) == 2
        assert sorted(whole_table.kinds()) == ["conversation.created"] + ["message.created"] * 2


def resolving(caller: Caller, conversation: str) -> Callable[[], str]:
    def resolve() -> str:
        conversations.transition(caller, conversation, Transition.RESOLVE)
        return "resolved"

    return resolve


def test_it_and_a_resolution_at_once_lose_nothing(api: Client, organization: NewOrganization) -> None:
    max_ = Caller(organization.organization_id, person=Person("usr_1", "Max", Role.MEMBER))
    for seed in range(SEEDS * 2):
        before, customer = visit(api, session=f"session-{seed}")

        outcomes = interleaved(
            [
                sending(organization, customer, 1),
                resolving(max_, before),
            ],
            seed,
        )

        went_to = outcomes.all()[0]
        shown = api.get(f"/v1/conversations/{before}").body["conversation"]
        assert shown["status"] == "resolved"
        read = api.get(f"/v1/conversations/{went_to}").body
        assert read["messages"][-1]["body"] == "number 1" or went_to == before
        assert [entry["body"] for entry in read["messages"]].count("number 1") == 1
        assert read["conversation"]["status"] == ("resolved" if went_to == before else "open")


def test_nothing_is_written_to_a_customer_who_is_erased_at_this_moment(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, customer = visit(api)
    key = Customer.key_for(organization.organization_id, customer)
    found = repository.get(organization.organization_id, customer)
    table.delete(key)
    monkeypatch.setattr(repository, "get", lambda *_: found)

    assert outreach(api, customer).code == "customer_not_found"
    assert len(api.get(f"/v1/conversations/{conversation}").body["messages"]) == 1
