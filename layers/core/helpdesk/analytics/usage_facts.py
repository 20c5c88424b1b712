"""Rows of tool calls and of what an organization uses: uploads, mails, crawled pages.

What is used stays used: these rows stay when the file, the message or the crawl goes. Their ids lead to nothing that
was erased.
"""

from helpdesk.agent_runs.record import Call
from helpdesk.agent_runs.state import CallState
from helpdesk.analytics import rows
from helpdesk.analytics.facts import TITLE_BYTES, narrow
from helpdesk.analytics.rows import TOOL_RUNS, USAGE, Fact
from helpdesk.conversations.files.record import File
from helpdesk.conversations.message_record import Message
from helpdesk.knowledge.crawls.record import Crawl
from helpdesk.platform import ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.tools.call_log import ToolTestRun

_OUTCOMES = {CallState.SUCCEEDED, CallState.REFUSED, CallState.FAILED, CallState.UNKNOWN}
_READ = ("created", "updated", "unchanged")
_RANDOM_DIGITS = 20  # 80 bits


def of_call(call: Call, conversation_id: str | None) -> Fact | None:
    """Return the row of a call of a tool; None if it was not sent, or has no outcome yet."""
    if call.state not in _OUTCOMES or call.claimed_at is None:
        return None
    return _run(call, at=call.claimed_at, outcome=call.state.value, test=False, conversation=conversation_id)


def of_test(test: ToolTestRun) -> Fact:
    """Return the row of a test of a tool. It names no conversation: a test adds nothing to one."""
    return _run(test, at=test.at, outcome=test.outcome.value, test=True, conversation=None)


def of_upload(file: File) -> Fact:
    """Return the usage of an uploaded file."""
    return _used(file.id, "upload_bytes", ids.made_at(file.id), file.size)


def of_message_mail(message: Message) -> Fact:
    """Return the usage of a message that was mailed. It counts at the message's time."""
    return _used(_id_of(message.created_at, message.id), "mail", message.created_at, 1)


def of_invitation_mail(mail_id: str) -> Fact:
    """Return the usage of an invitation that was mailed, by the mail's id."""
    return _used(mail_id, "mail", ids.made_at(mail_id), 1)


def of_crawl(crawl: Crawl) -> Fact:
    """Return the usage of a crawl's run so far: the pages whose text it read. It counts at the run's start."""
    pages = sum(crawl.counts[name] for name in _READ)
    return _used(_id_of(crawl.started_at, f"{crawl.id} {crawl.run}"), "crawl_page", crawl.started_at, pages)


def _run(run: Call | ToolTestRun, *, at: int, outcome: str, test: bool, conversation: str | None) -> Fact:
    return rows.fact(
        TOOL_RUNS,
        run.id,
        narrow(run.title, TITLE_BYTES),
        at=at,
        tool=run.tool,
        endpoint=run.endpoint_id,
        risk=run.risk.value,
        outcome=outcome,
        duration=run.duration,
        test=test,
        conversation=conversation,
    )


def _used(identifier: str, kind: str, at: int, quantity: int) -> Fact:
    return rows.fact(USAGE, identifier, None, at=at, kind=kind, quantity=quantity)


def _id_of(at: int, source: str) -> str:
    """Return the id of a row about something, which is the same each time."""
    return f"use_{ids.ulid(at, int(sha256_hex(source)[:_RANDOM_DIGITS], 16))}"
