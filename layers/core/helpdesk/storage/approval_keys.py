"""Keys of approvals and of the agent's runs, in which tools are called. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Approval(ItemKey):
    """A call of a tool that waits, or waited, for a person's decision; ids sort by time."""

    PK, SK = "ORG#{organization}#APPROVAL", "APPROVAL#{approval_id}"
    organization: str
    approval_id: str


class ConversationApproval(ItemKey):
    """The name of an approval in its conversation."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "APPROVAL#{approval_id}"
    organization: str
    conversation_id: str
    approval_id: str


class AgentRun(ItemKey):
    """A run of the agent for a visitor's message: what the model said, and the calls of tools with their outcomes."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "RUN#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


class RunWatch(ItemKey):
    """A run that a worker has to continue; the timers function finds those that no worker continues."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "RUNWATCH#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


def approvals_with(organization: str, status: str) -> str:
    """Return GSI1's partition of an organization's approvals in one state; sorted by id, so by time."""
    return f"ORG#{organization}#APPROVALS#{status}"
