"""What a teammate has read: for them alone, only forward, and for 90 days."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.people import issue_token

SESSION = "session-to-be-read"


@pytest.fixture
def ada(organization: NewOrganization) -> Client:
    return Client(issue_token(organization.organization_id, role="member", name="Ada"))


@pytest.fixture
def max_(organization: NewOrganization) -> Client:
    return Client(issue_token(organization.organization_id, role="member", name="Max"))


def write(api: Client, body: str = "Hello", session: str = SESSION) -> tuple[str, str]:
    written = api.post("/v1/messages", {"session": session, "body": body}).body
    return written["conversationId"], written["messageId"]


def unread(client: Client, conversation: str) -> bool:
    """Return whether a conversation is unread, which its list says too."""
    [listed] = client.get("/v1/conversations").body["conversations"]
    one = bool(client.get(f"/v1/conversations/{conversation}").body["conversation"]["unread"])
    assert listed["unread"] == one
    return one


def read(client: Client, conversation: str, message: str) -> None:
    answer = client.request("PUT", f"/v1/conversations/{conversation}/read", {"messageId": message})
    assert answer.body == {"ok": True}, answer


def test_a_conversation_is_unread_until_it_is_read_and_again_when_the_visitor_writes(
    api: Client, ada: Client, max_: Client
) -> None:
    conversation, first = write(api)
    assert (unread(ada, conversation), unread(max_, conversation)) == (True, True)

    read(ada, conversation, first)
    assert (unread(ada, conversation), unread(max_, conversation)) == (False, True)

    write(api, "And another thing")
    assert unread(ada, conversation) is True


def test_what_the_team_writes_makes_nothing_unread(api: Client, ada: Client, max_: Client) -> None:
    conversation, first = write(api)
    read(ada, conversation, first)

    max_.post(f"/v1/conversations/{conversation}/reply", {"body": "Hi"})

    assert unread(ada, conversation) is False


def test_a_mark_never_goes_back_and_never_ahead_of_the_conversation(api: Client, ada: Client) -> None:
    conversation, first = write(api)
    _, second = write(api, "Second")
    read(ada, conversation, second)
    read(ada, conversation, first)
    assert unread(ada, conversation) is False

    read(ada, conversation, f"msg_{'z' * 26}")
    write(api, "Third")
    assert unread(ada, conversation) is True


def test_a_key_has_read_everything_and_marks_nothing(api: Client) -> None:
    conversation, first = write(api)

    assert unread(api, conversation) is False
    answer = api.request("PUT", f"/v1/conversations/{conversation}/read", {"messageId": first})
    assert (answer.status, answer.code) == (401, "token_required")


@pytest.mark.parametrize("message", ["", "msg_1", "conv_01jd3kq8v5zt4m9rx2c7w6ybne", "msg_" + "u" * 26])
def test_a_mark_names_a_message(api: Client, ada: Client, message: str) -> None:
    conversation, _ = write(api)

    answer = ada.request("PUT", f"/v1/conversations/{conversation}/read", {"messageId": message})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`messageId`" in answer.message


def test_a_conversation_of_another_organization_is_not_found(
    api: Client, other_organization: NewOrganization
) -> None:
    conversation, first = write(api)
    stranger = Client(issue_token(other_organization.organization_id, role="owner", name="Stranger"))

    answer = stranger.request("PUT", f"/v1/conversations/{conversation}/read", {"messageId": first})

    assert (answer.status, answer.code) == (404, "conversation_not_found")


def test_after_90_days_a_message_is_no_longer_unread_and_a_mark_expires(api: Client, ada: Client) -> None:
    now = clock.now_ms()
    with clock.frozen(lambda: (now - 91 * DAY_MS) * 1_000):
        conversation, _ = write(api)
    assert unread(ada, conversation) is False

    _, second = write(api, "After three months")
    assert unread(ada, conversation) is True
    read(ada, conversation, second)
    [mark] = [item for item in whole_table.everything() if "#READ#" in item["PK"]]
    assert mark["expiresAt"] == pytest.approx(now / 1_000 + 90 * 86_400, abs=60)


def test_a_list_reads_all_marks_of_its_person_in_one_call(api: Client, ada: Client) -> None:
    for number in range(3):
        conversation, message = write(api, session=f"session-number-{number}")
        read(ada, conversation, message)

    calls = []
    for client in (api, ada):
        with recorded_calls() as made:
            listed = client.get("/v1/conversations").body["conversations"]
        assert [each["unread"] for each in listed] == [False] * 3
        calls.append(made.count("dynamodb:BatchGetItem"))

    # The customers; for a token also the person with the token, and the marks.
    assert calls == [1, 3]
