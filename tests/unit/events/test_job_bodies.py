"""The bodies of jobs as messages hold them: those that are in a queue during an update are read, too."""

import json
from typing import Any

import msgspec
import pytest

from helpdesk.accounts.invites.jobs import InviteMail
from helpdesk.accounts.organizations.confirming import SupportEmailMail
from helpdesk.board.service import LeftoversJob
from helpdesk.conversations.approvals import EndApprovalsJob
from helpdesk.conversations.jobs import AgentJob, LearnJob
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.customers.merging import MergeJob
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.events.outbox import JobBody
from helpdesk.knowledge.crawls import record as crawls
from helpdesk.knowledge.documents import IndexJob
from helpdesk.knowledge.folders import FolderJob
from helpdesk.knowledge.index_kinds import ReindexJob
from helpdesk.outreach.jobs import MessageMail
from helpdesk.privacy.service import ErasureJob, RetentionJob
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.suggestions.jobs import AskJob
from helpdesk.tools import jobs as tools
from helpdesk.tools.approvals.jobs import ResumeJob
from helpdesk.webhooks.delivery.queue import DeliveryTask

ORG = {"organization": "org_1"}
WRITTEN: list[tuple[JobBody, dict[str, Any]]] = [
    (AgentJob("org_1", "conv_1", "msg_1"), {"conversationId": "conv_1", "messageId": "msg_1"}),
    (
        ResumeJob("org_1", "conv_1", "msg_1"),
        {"kind": "resume", "conversationId": "conv_1", "messageId": "msg_1"},
    ),
    (
        ResumeJob("org_1", "conv_1", "msg_1", gives_up=True),
        {"kind": "resume", "conversationId": "conv_1", "messageId": "msg_1", "givesUp": True},
    ),
    (LearnJob("org_1", "conv_1"), {"kind": "learn", "conversationId": "conv_1"}),
    (AskJob("org_1", "sug_1"), {"kind": "ask", "suggestionId": "sug_1"}),
    (EndApprovalsJob("org_1", "conv_1"), {"kind": "end_approvals", "conversationId": "conv_1"}),
    (WakeJob("org_1", "conv_1", 5), {"kind": "wake", "conversationId": "conv_1", "until": 5}),
    (
        MergeJob("org_1", "cus_1", "hash", "cus_2"),
        {"kind": "merge", "anonymousId": "cus_1", "sessionHash": "hash", "customerId": "cus_2"},
    ),
    (ErasureJob("org_1", "ers_1"), {"kind": "customer", "erasureId": "ers_1"}),
    (RetentionJob("org_1", "ers_1"), {"kind": "retention", "erasureId": "ers_1"}),
    (LeftoversJob("org_1", "post_1"), {"kind": "post", "postId": "post_1"}),
    (
        InviteMail("org_1", "inv_1", "mail_1", "https://x"),
        {"inviteId": "inv_1", "mailId": "mail_1", "baseUrl": "https://x"},
    ),
    (SupportEmailMail("org_1", "mail_1"), {"kind": "support_email", "mailId": "mail_1"}),
    (
        MessageMail("org_1", "cus_1", "conv_1", "msg_1"),
        {"kind": "message", "customerId": "cus_1", "conversationId": "conv_1", "messageId": "msg_1"},
    ),
    (IndexJob("org_1", "doc_1", version=2), {"documentId": "doc_1", "version": 2}),
    (
        IndexJob("org_1", "doc_1", version=2, deleted=True, obsolete_texts=("a",)),
        {"documentId": "doc_1", "version": 2, "deleted": True, "obsoleteTexts": ["a"]},
    ),
    (FolderJob("org_1", "fold_1"), {"folderId": "fold_1"}),
    (ReindexJob("org_1", "run_1"), {"reindex": True, "run": "run_1", "turn": 1, "before": None}),
    (crawls.SliceJob("org_1", "crl_1", 2, 1), {"kind": "slice", "crawlId": "crl_1", "run": 2, "turn": 1}),
    (crawls.RemovalJob("org_1", "crl_1"), {"kind": "removal", "crawlId": "crl_1"}),
    (
        tools.SyncJob("org_1", "tool_1", "sync_1"),
        {"kind": "sync", "endpointId": "tool_1", "syncId": "sync_1"},
    ),
    (tools.RemovalJob("org_1", "tool_1"), {"kind": "removal", "endpointId": "tool_1"}),
    (
        SignalJob(kind=JobKind.STATUS, organization="org_1", signal_id="sig_1", notify=True),
        {"kind": "status", "signalId": "sig_1", "notify": True},
    ),
    (
        SignalJob(kind=JobKind.BOARD, organization="org_1", work_id="w", turn=2, statuses=("a",), after="b"),
        {"kind": "board", "workId": "w", "turn": 2, "statuses": ["a"], "after": "b"},
    ),
    (
        IntegrationJob(kind="look", app=App.GITHUB, organization="org_1", data={"a": 1}, tries=1, due_at=5),
        {"kind": "look", "app": "codehost", "data": {"a": 1}, "tries": 1, "dueAt": 5},
    ),
    (
        DeliveryTask("org_1", "wh_1", "evt_1", None, 1, 5),
        {
            "endpoint_id": "wh_1",
            "event_id": "evt_1",
            "key_id": None,
            "attempt": 1,
            "due_at": 5,
            "run": 1,
        },
    ),
]


@pytest.mark.parametrize(("job", "body"), WRITTEN, ids=[type(job).__name__ for job, _ in WRITTEN])
def test_a_job_is_written_with_what_says_something_and_read_as_it_was(
    job: JobBody, body: dict[str, Any]
) -> None:
    assert json.loads(job.to_json()) == ORG | body
    assert type(job).from_body(job.to_body()) == job


def test_what_only_a_later_release_writes_is_ignored() -> None:
    assert FolderJob.from_body(ORG | {"folderId": "fold_1", "later": 1}) == FolderJob("org_1", "fold_1")


def test_a_job_of_a_queue_with_several_kinds_is_read_by_its_kind_and_no_other_kind_is() -> None:
    kinds = LearnJob | AskJob
    assert msgspec.convert({"kind": "ask", "suggestionId": "sug_1", **ORG}, kinds) == AskJob("org_1", "sug_1")
    with pytest.raises(ValueError, match="kind"):
        msgspec.convert({"kind": "dream", **ORG}, kinds)
