"""An approval as it is stored."""

import json
from typing import Any

from helpdesk.customers.record import Identity
from helpdesk.storage import shards
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, field
from helpdesk.tools.approvals.errors import ApprovalNotFound
from helpdesk.tools.approvals.schemas import ApprovalStatus, CallOutcome
from helpdesk.tools.record import Risk


class Approval(Stored, kw_only=True):
    """An approval; times are in ms.

    `run_message_id` and `call_id` name the call in the agent's run. `input` is the JSON text that is run. `definition`
    is the digest of the tool as it was when the agent asked, `identity` who the customer was, and `resolutions` how
    often the conversation had been resolved: a call is run only in the conversation, with the tool and for the identity
    that it was approved for.
    """

    PK, SK = "ORG#{organization}#APPROVAL", "APPROVAL#{id}"
    GSI1 = "ORG#{organization}#APPROVALS#{status}", "{id}"
    GSI2 = "DUEAPPROVALS#{due_shard}", "{expires_at:013d}#{id}"
    organization: str
    id: str
    tool: str
    title: str
    endpoint_id: str
    definition: str
    identity: Identity
    input: str
    risk: Risk
    reason: str | None = None
    conversation_id: str
    customer_id: str
    run_message_id: str
    call_id: str
    resolutions: int
    requested_at: int
    expires_at: int = field(name="dueAt")  # not `expiresAt`: that is the table's time to live
    status: ApprovalStatus = ApprovalStatus.PENDING
    decided_at: int | None = None
    decided_by_name: ActorName | None = None
    note: str | None = None
    outcome: CallOutcome | None = None
    result: str | None = None

    @property
    def due_shard(self) -> int | None:
        """Which shard of the index of what is due it is in, while it waits."""
        return shards.shard_of(self.id) if self.status is ApprovalStatus.PENDING else None

    @property
    def input_value(self) -> dict[str, Any]:
        """The input as a value."""
        value: dict[str, Any] = json.loads(self.input)
        return value


class ConversationApproval(Stored, kw_only=True):
    """The name of an approval in its conversation."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "APPROVAL#{id}"
    organization: str
    conversation_id: str
    id: str


approvals = Collection(Approval, missing=ApprovalNotFound)
approvals_in = Collection(ConversationApproval)
