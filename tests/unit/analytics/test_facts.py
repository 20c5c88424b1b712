"""Rows from the records that few flows of the inbox make."""

from msgspec.structs import asdict

from helpdesk.agent_runs.record import Call
from helpdesk.agent_runs.state import CallState
from helpdesk.analytics import facts, rows, usage_facts
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.rows import Fact
from helpdesk.analytics.thread import Thread
from helpdesk.conversations.message_record import Author, Message
from helpdesk.customers.record import Identity
from helpdesk.knowledge.documents import Document, Source
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.storage.actor_name import ActorName
from helpdesk.suggestions.record import Suggestion
from helpdesk.suggestions.schemas import SuggestionKind, SuggestionStatus
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.approvals.schemas import ApprovalStatus
from helpdesk.tools.record import Risk


def _named(fact: Fact) -> dict[str, object]:
    names = [field.id for field in DATASETS[fact.dataset].fields]
    return dict(zip([*names, "title"], fact.values, strict=True))


def test_an_approval_is_a_tool_request() -> None:
    approval = Approval(
        organization="org_1", id="apr_1", tool="refund", title="Refund", endpoint_id="ep_1", definition="d",
        identity=Identity(), input="{}", risk=Risk.HIGH, reason=None, conversation_id="conv_1", customer_id="cus_1",
        run_message_id="msg_1", call_id="call_1", resolutions=0, requested_at=1_000, expires_at=9_000,
        status=ApprovalStatus.APPROVED, decided_at=4_000, decided_by_name=ActorName("Ada"),
    )  # fmt: skip
    assert _named(facts.of_approval(approval)) == {
        "requestedAt": 1_000, "decidedAt": 4_000, "tool": "refund", "risk": "high", "status": "approved",
        "decidedBy": "Ada", "waitTime": 3_000, "title": "Refund",
    }  # fmt: skip


def test_a_call_is_a_row_and_usage_once_it_has_an_outcome() -> None:
    call = Call(
        id="call_1", use_id="u", tool="refund", title="Refund", input="{}", state=CallState.RUNNING,
        risk=Risk.LOW, endpoint_id="ep_1", claimed_at=1_000,
    )  # fmt: skip
    assert usage_facts.of_call(call, "conv_1") is None

    ended = Call(**asdict(call) | {"state": CallState.FAILED, "duration": 250})
    fact = usage_facts.of_call(ended, "conv_1")

    assert fact is not None
    assert _named(fact) == {
        "at": 1_000, "tool": "refund", "endpoint": "ep_1", "risk": "low", "outcome": "failed",
        "duration": 250, "test": False, "conversation": "conv_1", "title": "Refund",
    }  # fmt: skip
    [usage] = rows.usage_of_call(fact.values, fact.id)
    assert _named(usage) == {"at": 1_000, "kind": "tool_run", "quantity": 1, "title": ""}


def test_a_suggestion_and_a_document_are_rows() -> None:
    suggestion = Suggestion(
        organization="org_1", id="sug_1", kind=SuggestionKind.NEW, status=SuggestionStatus.ACCEPTED,
        title="Refunds", body="b", heading="h", guidance="g", target_doc_id=None, base_version=None,
        conversation_id=None, conversation_subject="s", evidence=(), suggested_at=1_000, decided_at=3_000,
        decided_by_name=ActorName("Ada"),
    )  # fmt: skip
    assert _named(facts.of_suggestion(suggestion)) == {
        "suggestedAt": 1_000, "decidedAt": 3_000, "status": "accepted", "kind": "new", "evidence": 0,
        "decidedBy": "Ada", "timeToDecision": 2_000, "title": "Refunds",
    }  # fmt: skip
    document = Document(
        organization="org_1", id="doc_1", title="Refunds", folder_id=None, status=DocumentStatus.READY,
        problem=None, source=Source(), url=None, version=1, size=12, revision="r", text_key="k",
        digest="d", created_at=1_000, updated_at=2_000, indexed_at=None, created_by_name=ActorName("Ada"),
        updated_by_name=None, slug="refunds",
    )  # fmt: skip
    assert _named(facts.of_document(document)) == {
        "createdAt": 1_000, "updatedAt": 2_000, "indexedAt": None, "status": "ready", "source": "written",
        "folder": None, "size": 12, "answers": 0, "title": "Refunds",
    }  # fmt: skip


def test_the_models_tokens_of_an_answer_are_usage() -> None:
    values = [1_000, "agent", "conv_1", "cus_1", "Ada", 5, 0, None, 1, False, "Ada", 700, 40]
    found = [_named(fact) for fact in rows.usage_of_message(values, "msg_1")]
    assert [(each["kind"], each["quantity"]) for each in found] == [
        ("answer", 1), ("model_tokens_in", 700), ("model_tokens_out", 40),
    ]  # fmt: skip


def test_a_notice_is_a_message_of_the_team_that_answers_nothing() -> None:
    asked = Message(
        organization="org_1",
        id="msg_1",
        conversation_id="conv_1",
        created_at=1_000,
        sender="visitor",
        body="?",
    )
    thread, _ = Thread().after(asked)
    team = Author(kind="human", name="Shop", avatar_url=None)
    notice = Message(
        organization="org_1",
        id="msg_2",
        conversation_id="conv_1",
        created_at=2_000,
        sender="agent",
        author=team,
        body="Done.",
        notice=True,
    )
    after, waited = thread.after(notice)

    assert (after.count, after.by_team, waited) == (2, 1, None)
    assert (after.waiting_since, after.first_response, after.first_team_response) == (1_000, None, None)
    assert Thread().after(notice)[0].started_by_team
