"""Approving and denying by the buttons of a thread: the rules and the logs of the API."""

import random
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import clicks, texts
from helpdesk.integrations.slack.api import SLACK
from helpdesk.platform import clock
from helpdesk.tools.approvals.record import Approval
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from tests.support import effort
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.integrations import Send, run_twice
from tests.support.interleaving import interleaved
from tests.support.people import make_person
from tests.support.suggestions import jobs
from tests.support.workers import Workers


@pytest.fixture
def workers() -> Workers:
    """The service behind the API, without the agent, which would go on after a decision."""
    return Workers("agent", "search", "suggestion", "timer")


@pytest.fixture
def noor(slack: ChatMirror, acme: Workspace, organization: NewOrganization) -> str:
    """Another member who is in the workspace."""
    make_person(organization.organization_id, role="member", name="Noor", email="noor@example.com")
    return slack.person(acme, "Noor", "noor@example.com")


@pytest.fixture
def conversation(support: Channel, api: Client, organization: NewOrganization) -> Conversation:
    """A conversation with the agent."""
    return conversation_of(api, organization.organization_id)


@pytest.fixture
def approval(conversation: Conversation, workers: Workers) -> Approval:
    """An approval that waits, in the thread."""
    asked = ask(conversation)
    workers.run()
    return asked


def question(support: Channel, approval: Approval) -> dict[str, Any]:
    """Return the message that asks for the approval."""
    [found] = [
        each for each in support.messages if f'"value": "{approval.id}"' in str(each).replace("'", '"')
    ]
    return found


def shown(api: Client, approval: Approval) -> tuple[str, str | None]:
    """Return the status of an approval and who decided it."""
    found = api.get(f"/v1/approvals/{approval.id}").body["approval"]
    return found["status"], found["decidedByName"]


def logged(api: Client, kind: str) -> list[str]:
    """Return who did what a kind of entry of the log is about."""
    return [each["actor"] for each in api.get(f"/v1/logs?kind={kind}").body["logs"]]


def resumes() -> list[str]:
    """Return the messages whose runs go on."""
    return [job["messageId"] for job in jobs("agent") if job.get("kind") == "resume"]


def now() -> str:
    """Return the time stamp of now."""
    return f"{clock.now_us() / 1_000_000:.6f}"


def hints(support: Channel) -> list[tuple[str, str]]:
    """Return who alone read what."""
    return [(each["user"], each["text"]) for each in support.ephemeral]


def test_an_approval_is_asked_for_once_in_the_thread_with_two_buttons(
    support: Channel, approval: Approval, workers: Workers
) -> None:
    workers.run()
    asked = question(support, approval)

    assert asked["thread_ts"] == support.messages[0]["ts"]
    assert asked["text"].startswith("The agent asks to call *Refund an order* (refund)\n```\n")
    assert [each["action_id"] for each in asked["blocks"][-1]["elements"]] == ["approve", "deny"]


@pytest.mark.parametrize("action", ["approve", "deny"])
def test_a_button_of_another_thread_decides_nothing(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    organization: NewOrganization,
    mira: str,
    workers: Workers,
    send: Send,
    action: str,
) -> None:
    ask(conversation_of(api, organization.organization_id, "session-of-eve"))
    workers.run()
    other = next(
        each for each in support.messages if "thread_ts" not in each and each is not support.messages[0]
    )
    asked = {**question(support, approval), "thread_ts": other["ts"]}

    assert send(slack.click(acme, support, asked, mira, action)).status == 200
    workers.run()

    assert shown(api, approval)[0] == "pending"


@pytest.mark.parametrize(("action", "status"), [("approve", "approved"), ("deny", "denied")])
def test_a_button_decides_as_over_the_api(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    mira: str,
    workers: Workers,
    send: Send,
    action: str,
    status: str,
) -> None:
    send(slack.click(acme, support, question(support, approval), mira, action))
    workers.run()

    assert shown(api, approval) == (status, "Mira")
    assert logged(api, f"tool_call_{status}") == ["Mira"]
    assert resumes() == [approval.run_message_id]
    assert hints(support) == []
    assert support.texts()[-1] == f"_Mira {status} the call of Refund an order (refund)._"
    assert support.texts().count(support.texts()[-1]) == 1


def test_a_job_that_runs_twice_decides_once_and_says_nothing_about_it(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    mira: str,
    workers: Workers,
    send: Send,
) -> None:
    send(slack.click(acme, support, question(support, approval), mira, "approve"))
    run_twice(workers)

    assert shown(api, approval) == ("approved", "Mira")
    assert logged(api, "tool_call_approved") == ["Mira"]
    assert resumes() == [approval.run_message_id]
    assert hints(support) == []


def test_a_job_that_runs_again_resolves_nothing_that_was_opened_since(
    api: Client,
    support: Channel,
    conversation: Conversation,
    mira: str,
    workers: Workers,
    connection: Connection,
) -> None:
    workers.run()
    account = SLACK.open(connection)
    data = {
        "click": "1.trigger",
        "action": "resolve",
        "value": conversation.id,
        "user": mira,
        "at": now(),
        "channel": support.id,
        "message": support.messages[0]["ts"],
        "thread": support.messages[0]["ts"],
    }
    assert clicks.handle_click(account, data) == "resolve"
    api.post(f"/v1/conversations/{conversation.id}/reopen")

    assert clicks.handle_click(account, data) == "done_before"
    assert api.get(f"/v1/conversations/{conversation.id}").body["conversation"]["status"] == "open"


def test_who_presses_a_settled_approval_reads_that_it_is(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    mira: str,
    noor: str,
    workers: Workers,
    send: Send,
) -> None:
    asked = question(support, approval)
    send(slack.click(acme, support, asked, mira, "deny"))
    workers.run()
    send(slack.click(acme, support, asked, mira, "deny"))
    send(slack.click(acme, support, asked, noor, "approve"))
    workers.run()

    assert shown(api, approval) == ("denied", "Mira")
    assert sorted(user for user, _ in hints(support)) == sorted([mira, noor])
    assert all(
        text.startswith("This tool call was already approved or denied.") for _, text in hints(support)
    )
    assert logged(api, "tool_call_approved") == []


def test_who_presses_an_expired_approval_reads_that_it_is(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    mira: str,
    workers: Workers,
    send: Send,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(slack.click(acme, support, question(support, approval), mira, "approve"))
    monkeypatch.setattr(clock, "now_ms", lambda: approval.expires_at + 1)
    workers.run()

    [(user, text)] = hints(support)
    assert user == mira
    assert text.startswith("This approval has expired")
    assert logged(api, "tool_call_approved") == []
    assert resumes() == []


def test_a_person_who_is_no_member_decides_nothing(
    api: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    approval: Approval,
    workers: Workers,
    send: Send,
) -> None:
    stranger = slack.person(acme, "Sam", "sam@example.com")
    send(slack.click(acme, support, question(support, approval), stranger, "approve"))
    workers.run()

    assert shown(api, approval) == ("pending", None)
    [(user, text)] = hints(support)
    assert user == stranger
    assert text.startswith("No member in Helpdesk has your e-mail address")


def test_of_two_who_press_at_once_one_wins(
    support: Channel,
    api: Client,
    conversation: Conversation,
    mira: str,
    noor: str,
    workers: Workers,
    connection: Connection,
) -> None:
    workers.run()
    orders, account = random.Random(11), SLACK.open(connection)
    for number in range(effort.of(4, 200)):
        approval = ask(conversation)
        support.ephemeral.clear()

        def press(user: str, action: str, approval: Approval = approval, number: int = number) -> str:
            thread = support.messages[0]["ts"]
            data = {
                "click": f"{number}.{user}",
                "action": action,
                "value": approval.id,
                "user": user,
                "at": now(),
            }
            return clicks.handle_click(
                account, {**data, "channel": support.id, "message": thread, "thread": thread}
            )

        done = interleaved(
            [lambda: press(mira, texts.APPROVE), lambda: press(noor, texts.DENY)], orders.randrange(1 << 30)
        ).all()

        assert sorted(done) in (["approve", "hint"], ["deny", "hint"])
        won = ("approved", "Mira") if "approve" in done else ("denied", "Noor")
        assert shown(api, approval) == won
        assert [user for user, _ in hints(support)] == [noor if "approve" in done else mira]
