"""Approving and denying by the buttons of a thread: the rules and the logs of the API."""

import random
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.slack import clicks, texts
from helpdesk.platform import clock
from helpdesk.tools.approvals.record import Approval
from tests.integration.slack.conftest import Thread
from tests.support import effort
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.integrations import run_twice
from tests.support.interleaving import interleaved
from tests.support.suggestions import jobs
from tests.support.workers import Workers


@pytest.fixture
def workers() -> Workers:
    """The service behind the API, without the agent, which would go on after a decision."""
    return Workers("agent", "search", "suggestion", "timer")


@pytest.fixture
def approval(conversation: Conversation) -> Approval:
    """An approval that waits."""
    return ask(conversation)


@pytest.fixture
def thread(approval: Approval, thread: Thread) -> Thread:
    """The conversation in the channel, with the question of the approval."""
    return thread


def question(thread: Thread, approval: Approval) -> dict[str, Any]:
    """Return the message that asks for the approval."""
    [found] = [
        each for each in thread.channel.messages if f'"value": "{approval.id}"' in str(each).replace("'", '"')
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


def test_an_approval_is_asked_for_once_in_the_thread_with_two_buttons(
    thread: Thread, approval: Approval
) -> None:
    thread.workers.run()
    asked = question(thread, approval)

    assert asked["thread_ts"] == thread.first["ts"]
    assert asked["text"].startswith("The agent asks to call *Refund an order* (refund)\n```\n")
    assert [each["action_id"] for each in asked["blocks"][-1]["elements"]] == ["approve", "deny"]


@pytest.mark.parametrize("action", ["approve", "deny"])
def test_a_button_of_another_thread_decides_nothing(
    thread: Thread, approval: Approval, organization: NewOrganization, mira: str, action: str
) -> None:
    ask(conversation_of(thread.api, organization.organization_id, "session-of-eve"))
    thread.workers.run()
    other = next(
        each for each in thread.channel.messages if "thread_ts" not in each and each is not thread.first
    )
    asked = {**question(thread, approval), "thread_ts": other["ts"]}

    assert thread.deliver(thread.click(mira, action, asked)).status == 200
    thread.workers.run()

    assert shown(thread.api, approval)[0] == "pending"


@pytest.mark.parametrize(("action", "status"), [("approve", "approved"), ("deny", "denied")])
def test_a_button_decides_as_over_the_api(
    thread: Thread, approval: Approval, mira: str, action: str, status: str
) -> None:
    thread.press(mira, action, question(thread, approval))

    assert shown(thread.api, approval) == (status, "Mira")
    assert logged(thread.api, f"tool_call_{status}") == ["Mira"]
    assert resumes() == [approval.run_message_id]
    assert thread.hints == []
    assert thread.channel.texts()[-1] == f"_Mira {status} the call of Refund an order (refund)._"
    assert thread.channel.texts().count(thread.channel.texts()[-1]) == 1


def test_a_job_that_runs_twice_decides_once_and_says_nothing_about_it(
    thread: Thread, approval: Approval, mira: str
) -> None:
    thread.deliver(thread.click(mira, "approve", question(thread, approval)))
    run_twice(thread.workers)

    assert shown(thread.api, approval) == ("approved", "Mira")
    assert logged(thread.api, "tool_call_approved") == ["Mira"]
    assert resumes() == [approval.run_message_id]
    assert thread.hints == []


def test_a_job_that_runs_again_resolves_nothing_that_was_opened_since(
    thread: Thread, account: Account, mira: str
) -> None:
    thread.workers.run()
    data = {
        "click": "1.trigger",
        "action": "resolve",
        "value": thread.conversation.id,
        "user": mira,
        "at": now(),
        "channel": thread.channel.id,
        "message": thread.first["ts"],
        "thread": thread.first["ts"],
    }
    assert clicks.handle_click(account, data) == "resolve"
    thread.move("reopen")

    assert clicks.handle_click(account, data) == "done_before"
    assert thread.shown["status"] == "open"


def test_who_presses_a_settled_approval_reads_that_it_is(
    thread: Thread, approval: Approval, mira: str, noor: str
) -> None:
    asked = question(thread, approval)
    thread.press(mira, "deny", asked)
    thread.deliver(thread.click(mira, "deny", asked))
    thread.press(noor, "approve", asked)

    assert shown(thread.api, approval) == ("denied", "Mira")
    assert sorted(user for user, _ in thread.hints) == sorted([mira, noor])
    assert all(text.startswith("This tool call was already approved or denied.") for _, text in thread.hints)
    assert logged(thread.api, "tool_call_approved") == []


def test_who_presses_an_expired_approval_reads_that_it_is(
    thread: Thread, approval: Approval, mira: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread.deliver(thread.click(mira, "approve", question(thread, approval)))
    monkeypatch.setattr(clock, "now_ms", lambda: approval.expires_at + 1)
    thread.workers.run()

    [(user, text)] = thread.hints
    assert user == mira
    assert text.startswith("This approval has expired")
    assert logged(thread.api, "tool_call_approved") == []
    assert resumes() == []


def test_a_person_who_is_no_member_decides_nothing(thread: Thread, approval: Approval) -> None:
    stranger = thread.slack.person(thread.acme, "Sam", "sam@example.com")
    thread.press(stranger, "approve", question(thread, approval))

    assert shown(thread.api, approval) == ("pending", None)
    [(user, text)] = thread.hints
    assert user == stranger
    assert text.startswith("No member in Helpdesk has your e-mail address")


def test_of_two_who_press_at_once_one_wins(thread: Thread, account: Account, mira: str, noor: str) -> None:
    thread.workers.run()
    orders = random.Random(11)
    for number in range(effort.of(4, 200)):
        approval = ask(thread.conversation)
        thread.channel.ephemeral.clear()

        def press(user: str, action: str, approval: Approval = approval, number: int = number) -> str:
            first = thread.first["ts"]
            data = {
                "click": f"{number}.{user}",
                "action": action,
                "value": approval.id,
                "user": user,
                "at": now(),
            }
            return clicks.handle_click(
                account, {**data, "channel": thread.channel.id, "message": first, "thread": first}
            )

        done = interleaved(
            [lambda: press(mira, texts.APPROVE), lambda: press(noor, texts.DENY)], orders.randrange(1 << 30)
        ).all()

        assert sorted(done) in (["approve", "hint"], ["deny", "hint"])
        won = ("approved", "Mira") if "approve" in done else ("denied", "Noor")
        assert shown(thread.api, approval) == won
        assert [user for user, _ in thread.hints] == [noor if "approve" in done else mira]
