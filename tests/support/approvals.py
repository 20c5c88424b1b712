"""Approvals as the agent asks for them, without an agent."""

import json
from typing import Any

from helpdesk.conversations import repository, thread
from helpdesk.conversations import service as conversations
from helpdesk.conversations.change import Change
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Identity
from helpdesk.platform import ids
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import lifecycle
from helpdesk.tools.approvals.lifecycle import Wanted
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.record import Risk
from tests.support.api import Client

REFUND = {"order": "A-17", "amount": 12.5}


def conversation_of(api: Client, organization: str, session: str = "session-of-vera") -> Conversation:
    """Let a visitor ask for a refund; return the conversation."""
    asked = api.post("/v1/messages", {"session": session, "body": "Please refund order A-17."})
    assert asked.status == 200, asked.body
    return conversations.get(organization, asked.body["conversationId"])


def ask(conversation: Conversation, given: Any = None, **changed: Any) -> Approval:
    """Let the agent ask for the approval of a refund."""
    wanted = Wanted(
        tool="refund",
        title="Refund an order",
        endpoint_id="tep_01jd3n5p8s2d6f9g1h4j7k0m3q",
        definition="d" * 64,
        identity=Identity("alice-1", "Alice", "alice@example.com", email_verified=True),
        input=json.dumps(REFUND if given is None else given),
        risk=Risk.HIGH,
        reason=None,
        run_message_id=conversation.newest_message_id or "",
        call_id=ids.new("call"),
    )._replace(**changed)
    read = conversations.get(conversation.organization, conversation.id)
    approval = lifecycle.asked_for(read, wanted)
    transaction = Transaction()
    lifecycle.add(transaction, approval)
    new = thread.new_message(read)
    repository.save(transaction, Change(before=read, state=read.state, message=new, new_approvals=1))
    transaction.commit()
    return approval
