"""Requests and responses of approvals (Specification: States and transitions, Tool call approvals)."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint
from helpdesk.conversations.schemas import CustomerSummary
from helpdesk.platform.text import trimmed
from helpdesk.tools.approvals.errors import MAX_NOTE_CHARACTERS
from helpdesk.tools.record import Risk


class ApprovalStatus(StrEnum):
    """Whether somebody has decided."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"


class CallOutcome(StrEnum):
    """The outcome of an approved call."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    REFUSED = "refused"
    """The tool answered that it did not do it."""
    FAILED = "failed"
    """The tool did not do it: it answered with an error, or could not be reached."""
    UNKNOWN = "unknown"
    """The request was sent, and no answer came. The tool may have done it. The call is never repeated."""


class ApprovalIdentity(Answer):
    """Who the customer was when the agent asked. The call is made for exactly this identity, or not at all."""

    external_id: str | None
    """Your own ID of them; null if nobody gave one."""
    name: str | None
    """What somebody said. It proves nothing."""
    email: str | None
    email_verified: bool
    """Whether your server or team named the address, or the customer proved it. The tool gets no other address."""


class ApprovalShape(Answer):
    """A tool call that the agent wants to make."""

    id: str
    status: ApprovalStatus
    tool: str
    """The tool's name."""
    endpoint_id: str
    """The tool endpoint that has it."""
    input: dict[str, Any]
    """What the tool is called with. Exactly this is run; it cannot be edited."""
    risk: Risk
    """`high`, or `reviewed` if the review passed the call to the team."""
    reason: str | None
    """Why the review passed it to the team; null for a call that always waits for a person."""
    conversation_id: str
    identity: ApprovalIdentity
    """For whom the call is made. If the customer's identity is another one when it would be made, it expires."""
    customer: CustomerSummary
    """The customer as they are now."""
    requested_at: Milliseconds
    expires_at: Milliseconds
    """24 hours later. It expires sooner if the conversation is resolved or the tool is removed. If the tool or the
    customer's identity has changed, it expires when the call would be made."""
    decided_at: Milliseconds | None
    """When it was approved or denied, or expired."""
    decided_by: str | None
    """The ID of the person or key."""
    decided_by_name: str | None
    """The person or key that approved or denied it."""
    note: str | None
    """What they wrote with the decision. The agent reads it."""
    outcome: CallOutcome | None
    """The outcome of the call; null until it is approved and runs."""
    result: str | None
    """The tool's return value as JSON, cut to 16,000 characters and 20 KB; or why there is none.

    Null until the call has run.
    """


class ApprovalsQuery(PageQuery):
    """The parameters of GET /approvals."""

    status: ApprovalStatus | None = None
    """Only approvals in this state; all by default."""


class ApprovalsAnswer(Answer):
    """The response of GET /approvals, newest first."""

    approvals: list[ApprovalShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end. Long inputs can make a page shorter than `limit`."""


class ApprovalAnswer(Answer):
    """One approval."""

    approval: ApprovalShape


def _note(value: str) -> str:
    if len(trimmed(value)) > MAX_NOTE_CHARACTERS:
        raise ValueError(f"must be up to {MAX_NOTE_CHARACTERS:,} characters")
    return trimmed(value)


class ApprovalDecision(Body):
    """The body of POST /approvals/{id}/approve and /deny. `{}` decides without a note."""

    note: Annotated[str, AfterValidator(_note), schema_hint(maxLength=MAX_NOTE_CHARACTERS)] | None = None
    """What the agent is to know, up to 1,000 characters after trimming. The agent may say it to the customer."""
