"""Lists of approvals, approving and denying: every outcome (docs/guides/approvals.md)."""

import random
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.tools.approvals import expiry
from helpdesk.tools.approvals.record import Approval
from tests.support import effort
from tests.support import table as everything
from tests.support.api import Client, Context, function
from tests.support.approvals import REFUND, ask, conversation_of
from tests.support.interleaving import interleaved
from tests.support.people import issue_token
from tests.support.suggestions import jobs
from tests.support.workers import Workers


@pytest.fixture
def conversation(api: Client, organization: NewOrganization) -> Conversation:
    """Return a conversation with the agent."""
    return conversation_of(api, organization.organization_id)


@pytest.fixture
def approval(conversation: Conversation) -> Approval:
    """Return an approval that waits."""
    return ask(conversation)


def lines(api: Client, conversation: Conversation) -> list[str]:
    thread = api.get(f"/v1/conversations/{conversation.id}").body["messages"]
    return [entry["body"] for entry in thread if entry["kind"] == "system"]


def logged(api: Client, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/v1/logs?kind={kind}").body["logs"]
    return found


def resumes() -> list[str]:
    return [job["messageId"] for job in jobs("agent") if job.get("kind") == "resume"]


def status_of(api: Client, approval: Approval) -> str:
    return str(api.get(f"/v1/approvals/{approval.id}").body["approval"]["status"])


def test_an_approval_shows_the_call_that_waits(api: Client, approval: Approval) -> None:
    shown = api.get(f"/v1/approvals/{approval.id}").body["approval"]

    assert shown["input"] == REFUND
    assert (shown["status"], shown["tool"], shown["risk"]) == ("pending", "refund", "high")
    assert shown["customer"]["id"] == approval.customer_id
    assert shown["expiresAt"] == shown["requestedAt"] + DAY_MS
    assert api.get("/v1/approvals").body == {"approvals": [shown], "nextCursor": None}


def test_lists_are_newest_first_by_status_and_in_pages(api: Client, conversation: Conversation) -> None:
    first, second, third = (ask(conversation) for _ in range(3))
    api.post(f"/v1/approvals/{second.id}/deny", {})

    def listed(query: str) -> list[str]:
        found: list[str] = []
        cursor = ""
        while True:
            page = api.get(f"/v1/approvals?limit=1{query}{cursor}").body
            found += [each["id"] for each in page["approvals"]]
            if page["nextCursor"] is None:
                return found
            cursor = f"&cursor={page['nextCursor']}"

    assert listed("") == [third.id, second.id, first.id]
    assert listed("&status=pending") == [third.id, first.id]
    assert listed("&status=denied") == [second.id]
    assert api.get("/v1/approvals?status=waiting").code == "invalid_request"
    cursor = api.get("/v1/approvals?limit=1").body["nextCursor"]
    assert api.get(f"/v1/approvals?status=pending&cursor={cursor}").code == "invalid_cursor"


@pytest.mark.parametrize(("verb", "status"), [("approve", "approved"), ("deny", "denied")])
def test_a_decision_is_narrated_logged_and_lets_the_agent_go_on(
    api: Client,
    organization: NewOrganization,
    conversation: Conversation,
    approval: Approval,
    verb: str,
    status: str,
) -> None:
    member = Client(issue_token(organization.organization_id, role="member", name="Mia Member"))

    answer = member.post(f"/v1/approvals/{approval.id}/{verb}", {"note": " Only once. "})

    assert answer.status == 200
    decided = answer.body["approval"]
    assert (decided["status"], decided["decidedByName"], decided["note"]) == (
        status,
        "Mia Member",
        "Only once.",
    )
    assert decided["outcome"] is None
    assert decided["decidedAt"] >= decided["requestedAt"]
    assert lines(api, conversation) == [
        f"Mia Member {status} the call of Refund an order (refund): Only once."
    ]
    [entry] = logged(api, f"tool_call_{status}")
    assert entry["actor"] == "Mia Member"
    assert entry["detail"] == {
        "approvalId": approval.id,
        "tool": "refund",
        "conversationId": conversation.id,
    }
    assert resumes() == [approval.run_message_id]


def test_a_decision_can_be_made_once(api: Client, approval: Approval) -> None:
    assert api.post(f"/v1/approvals/{approval.id}/deny", {}).status == 200
    for verb in ("approve", "deny"):
        answer = api.post(f"/v1/approvals/{approval.id}/{verb}", {})
        assert (answer.status, answer.code) == (409, "approval_settled")
    assert status_of(api, approval) == "denied"


def test_of_two_who_decide_at_once_one_wins(api: Client, conversation: Conversation) -> None:
    orders, rounds = random.Random(7), effort.of(8, 1_000)
    for _ in range(rounds):
        approval = ask(conversation)

        def decide(verb: str, approval: Approval = approval) -> Any:
            return api.post(f"/v1/approvals/{approval.id}/{verb}", {})

        answers = interleaved(
            [lambda: decide("approve"), lambda: decide("deny")], orders.randrange(1 << 30)
        ).all()

        assert sorted(answer.status for answer in answers) == [200, 409]
        (won,) = (answer.body["approval"]["status"] for answer in answers if answer.status == 200)
        assert [answer.code for answer in answers if answer.status == 409] == ["approval_settled"]
        assert status_of(api, approval) == won
    assert len(resumes()) == rounds


def test_after_24_hours_it_expires(
    api: Client, conversation: Conversation, approval: Approval, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = approval.expires_at + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later - 2)
    assert function("timers").handler({"run": "approvals"}, Context()) is None
    assert status_of(api, approval) == "pending"
    monkeypatch.setattr(clock, "now_ms", lambda: later)

    refused = api.post(f"/v1/approvals/{approval.id}/approve", {})
    assert (refused.status, refused.code) == (409, "approval_expired")
    function("timers").handler({"run": "due"}, Context())
    function("timers").handler({"run": "due"}, Context())

    assert status_of(api, approval) == "expired"
    assert lines(api, conversation) == [
        "The call of Refund an order (refund) was not made: nobody decided within 24 hours."
    ]
    assert [entry["actor"] for entry in logged(api, "tool_call_expired")] == ["system"]
    assert resumes() == [approval.run_message_id]
    assert api.post(f"/v1/approvals/{approval.id}/deny", {}).code == "approval_expired"


def test_the_end_of_the_conversation_ends_what_waits_in_it(
    api: Client, conversation: Conversation, approval: Approval
) -> None:
    assert api.post(f"/v1/conversations/{conversation.id}/resolve").status == 200
    assert api.post(f"/v1/approvals/{approval.id}/approve", {}).code == "approval_expired"

    # Reopened before the timer comes: an approval of the new opening stays.
    api.post(f"/v1/conversations/{conversation.id}/reopen")
    assert api.post(f"/v1/approvals/{approval.id}/approve", {}).code == "approval_expired"
    newer = ask(conversation)
    Workers("agent", "search", "suggestion").run()

    assert (status_of(api, approval), status_of(api, newer)) == ("expired", "pending")
    assert "The call of Refund an order (refund) was not made: the conversation was resolved." in lines(
        api, conversation
    )
    assert api.post(f"/v1/approvals/{newer.id}/approve", {}).status == 200


def test_a_resolution_without_approvals_leaves_no_job(api: Client, conversation: Conversation) -> None:
    decided = ask(conversation)
    api.post(f"/v1/approvals/{decided.id}/approve", {})
    api.post(f"/v1/conversations/{conversation.id}/resolve")
    assert jobs("timer") == []


def test_the_removal_of_an_endpoint_ends_what_waits_for_it(
    api: Client, conversation: Conversation, approval: Approval
) -> None:
    other = ask(conversation, endpoint_id="tep_other")
    approved = ask(conversation)
    api.post(f"/v1/approvals/{approved.id}/approve", {})

    assert expiry.expire_for_endpoint(conversation.organization, approval.endpoint_id) == 1
    assert expiry.expire_for_endpoint(conversation.organization, approval.endpoint_id) == 0

    assert [status_of(api, each) for each in (approval, other, approved)] == [
        "expired",
        "pending",
        "approved",
    ]
    assert lines(api, conversation)[-1] == (
        "The call of Refund an order (refund) was not made: its tool endpoint was removed."
    )


def test_in_an_archived_conversation_nothing_is_decided(
    api: Client, conversation: Conversation, approval: Approval
) -> None:
    api.post(f"/v1/conversations/{conversation.id}/archive")
    refused = api.post(f"/v1/approvals/{approval.id}/approve", {})
    assert (refused.status, refused.code) == (400, "conversation_archived")
    api.post(f"/v1/conversations/{conversation.id}/unarchive")
    assert api.post(f"/v1/approvals/{approval.id}/approve", {}).status == 200


def test_an_approval_keeps_no_time_to_live(approval: Approval) -> None:
    (item,) = (
        item for item in everything.everything() if item["SK"] == f"APPROVAL#{approval.id}" and "tool" in item
    )
    assert "expiresAt" not in item
