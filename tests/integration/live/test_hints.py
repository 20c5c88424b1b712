"""Hints: which changes are posted to whom."""

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.live.record import LiveConnection
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.table import Item
from tests.integration.live.conftest import Member
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.live import Gateway

SESSION = {"session": "visitor-0001"}


def write(api: Client, body: str = "Hello") -> dict[str, str]:
    """Write as a visitor; return the IDs."""
    posted: dict[str, str] = api.post("/v1/messages", {**SESSION, "body": body}).body
    return posted


def begun(api: Client, gateway: Gateway) -> str:
    """Begin a conversation, and let its hints be over; return its ID."""
    conversation_id = write(api)["conversationId"]
    gateway.stream.take()
    return conversation_id


def test_a_visitors_message_is_a_hint_for_every_open_console(
    gateway: Gateway, api: Client, ada: Member, grace: Member
) -> None:
    consoles = [gateway.connected(ada), gateway.connected(grace)]
    posted = write(api)
    gateway.fan_out()

    for console in consoles:
        assert console.take() == [{"type": "message", **posted}]


def test_hints_have_nothing_of_the_content(gateway: Gateway, api: Client, ada: Member) -> None:
    console = gateway.connected(ada)
    write(api, "My card is 4111")
    gateway.fan_out()

    assert "4111" not in str(console.take())


def test_an_organization_without_connections_invokes_nothing(gateway: Gateway, api: Client) -> None:
    write(api)

    assert gateway.fan_out() == 0


def test_another_organizations_changes_reach_nobody(
    gateway: Gateway, api: Client, stranger: Client, ada: Member
) -> None:
    console = gateway.connected(ada)
    visitor = gateway.connected(api, SESSION)
    write(stranger)
    gateway.fan_out()

    assert console.take() == visitor.take() == []


def test_a_note_is_a_hint_for_the_team_and_none_for_the_visitor(
    gateway: Gateway, api: Client, ada: Member
) -> None:
    conversation_id = begun(api, gateway)
    console, visitor = gateway.connected(ada), gateway.connected(api, SESSION)
    note = ada.post(f"/v1/conversations/{conversation_id}/note", {"body": "Careful"}).body
    gateway.fan_out()

    of = {"conversationId": conversation_id, "messageId": note["messageId"]}
    assert console.take() == [{"type": "message", **of}]
    assert visitor.take() == []


def test_a_reply_is_a_hint_for_the_visitor_who_is_written_to_and_no_other(
    gateway: Gateway, api: Client, ada: Member
) -> None:
    conversation_id = begun(api, gateway)
    visitor, other = gateway.connected(api, SESSION), gateway.connected(api, {"session": "visitor-0002"})
    reply = ada.post(f"/v1/conversations/{conversation_id}/reply", {"body": "Hi", "takeOver": True}).body
    gateway.fan_out()

    of = {"conversationId": conversation_id, "messageId": reply["messageId"]}
    assert visitor.take() == [{"type": "message", **of}]
    assert other.take() == []


def test_a_resolution_is_a_hint_for_both_and_an_assignment_for_the_team(
    gateway: Gateway, api: Client, ada: Member
) -> None:
    conversation_id = begun(api, gateway)
    console, visitor = gateway.connected(ada), gateway.connected(api, SESSION)
    ada.post(f"/v1/conversations/{conversation_id}/assign", {"userId": ada.user_id})
    gateway.fan_out()
    assert [each["type"] for each in console.take()] == ["message"]  # the line that says so
    assert visitor.take() == []

    ada.post(f"/v1/conversations/{conversation_id}/resolve")
    gateway.fan_out()
    assert [each["type"] for each in console.take()] == ["message"]
    assert visitor.take() == [{"type": "conversation", "conversationId": conversation_id}]


def test_a_connection_for_one_conversation_gets_hints_of_no_other(
    gateway: Gateway, api: Client, ada: Member
) -> None:
    conversation_id = begun(api, gateway)
    console = gateway.connected(ada, {"conversationId": conversation_id})
    api.post("/v1/messages", {"session": "visitor-0002", "body": "Another"})
    gateway.fan_out()
    assert console.take() == []

    write(api)
    gateway.fan_out()
    assert [each["conversationId"] for each in console.take()] == [conversation_id]


def test_a_removed_members_connections_end_and_get_no_more_hints(
    gateway: Gateway, admin: Client, api: Client, ada: Member, grace: Member
) -> None:
    gone, stays = gateway.connected(ada), gateway.connected(grace)
    gateway.stream.take()
    admin.delete(f"/v1/members/{ada.user_id}")
    gateway.fan_out()

    assert not gone.is_open
    assert stays.is_open
    write(api)
    gateway.fan_out()
    assert gone.take() == []


def test_a_connection_that_is_gone_is_forgotten_once_it_is_old_enough_to_have_begun(
    gateway: Gateway, organization: NewOrganization, api: Client, ada: Member
) -> None:
    gateway.connected(ada).vanish()
    write(api)
    gateway.fan_out()
    assert len(_connections(organization)) == 1

    instant = clock.now_us() + 11_000_000
    with clock.frozen(lambda: instant):
        write(api)
        gateway.fan_out()
    assert _connections(organization) == []


def test_an_approval_is_a_hint_that_names_it(
    gateway: Gateway, organization: NewOrganization, api: Client, ada: Member
) -> None:
    conversation = conversation_of(api, organization.organization_id)
    console = gateway.connected(ada)
    gateway.stream.take()
    approval = ask(conversation)
    gateway.fan_out()

    hint = {"type": "approval", "approvalId": approval.id, "conversationId": conversation.id}
    assert hint in console.take()


def test_webhooks_and_jobs_go_out_when_hints_cannot(gateway: Gateway, api: Client, ada: Member) -> None:
    console = gateway.connected(ada)
    gateway.refuses_invocations = True
    write(api)
    gateway.fan_out()

    assert console.take() == []
    messages = clients.sqs().receive_message(QueueUrl=settings().agent_queue_url)
    assert len(messages["Messages"]) == 1


def _connections(organization: NewOrganization) -> list[Item]:
    partition = LiveConnection.partition_for(organization.organization_id)
    return table.query_all(partition, sk_prefix=LiveConnection.sk_prefix())
