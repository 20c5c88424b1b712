"""An approval as it is stored."""

import json
from typing import Any, Self

from helpdesk.approvals.risk import Risk
from helpdesk.approvals.schemas import ApprovalStatus, CallOutcome
from helpdesk.customers.identity import Identity
from helpdesk.platform.record import Record
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys, shards
from helpdesk.storage.table import Item


class Approval(Record, kw_only=True):
    """An approval; times are in ms.

    `run_message_id` and `call_id` name the call in the agent's run. `input` is the JSON text that is run. `definition`
    is the digest of the tool as it was when the agent asked, `identity` who the customer was, and `resolutions` how
    often the conversation had been resolved: a call is run only in the conversation, with the tool and for the identity
    that it was approved for.
    """

    organization: str
    id: str
    tool: str
    title: str
    endpoint_id: str
    definition: str
    identity: Identity
    input: str
    risk: Risk
    reason: str | None
    conversation_id: str
    customer_id: str
    run_message_id: str
    call_id: str
    resolutions: int
    requested_at: int
    expires_at: int
    status: ApprovalStatus = ApprovalStatus.PENDING
    decided_at: int | None = None
    decided_by_name: str | None = None
    note: str | None = None
    outcome: CallOutcome | None = None
    result: str | None = None

    @property
    def input_value(self) -> dict[str, Any]:
        """The input as a value."""
        value: dict[str, Any] = json.loads(self.input)
        return value

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read an approval's item."""
        outcome = item["outcome"]
        return cls(
            organization=organization,
            id=item["id"],
            tool=item["tool"],
            title=item["title"],
            endpoint_id=item["endpointId"],
            definition=item["definition"],
            identity=Identity.from_item(item.get("identity")),
            input=item["input"],
            risk=Risk(item["risk"]),
            reason=item["reason"],
            conversation_id=item["conversationId"],
            customer_id=item["customerId"],
            run_message_id=item["runMessageId"],
            call_id=item["callId"],
            resolutions=item["resolutions"],
            requested_at=item["requestedAt"],
            expires_at=item["dueAt"],
            status=ApprovalStatus(item["status"]),
            decided_at=item["decidedAt"],
            decided_by_name=by_names.optional_from_item(item, "decidedBy"),
            note=item["note"],
            outcome=None if outcome is None else CallOutcome(outcome),
            result=item["result"],
        )

    def to_item(self) -> Item:
        """Return the item of an approval that waits."""
        return {
            **keys.Approval(self.organization, self.id).attributes(),
            "GSI1PK": keys.approvals_with(self.organization, self.status.value),
            "GSI1SK": self.id,
            "GSI2PK": shards.due_approvals(shards.shard_of(self.id)),
            "GSI2SK": f"{self.expires_at:013d}#{self.id}",
            "organization": self.organization,
            "id": self.id,
            "status": self.status.value,
            "tool": self.tool,
            "title": self.title,
            "endpointId": self.endpoint_id,
            "definition": self.definition,
            "identity": self.identity.to_item(),
            "input": self.input,
            "risk": self.risk.value,
            "reason": self.reason,
            "conversationId": self.conversation_id,
            "customerId": self.customer_id,
            "runMessageId": self.run_message_id,
            "callId": self.call_id,
            "resolutions": self.resolutions,
            "requestedAt": self.requested_at,
            # Not `expiresAt`: that is the table's time to live.
            "dueAt": self.expires_at,
            "decidedAt": self.decided_at,
            **by_names.to_item("decidedBy", self.decided_by_name),
            "note": self.note,
            "outcome": None if self.outcome is None else self.outcome.value,
            "result": self.result,
        }
