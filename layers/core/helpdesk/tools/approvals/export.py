"""Export of a conversation's approvals."""

from helpdesk.tools.approvals import repository
from helpdesk.tools.approvals.record import Approval


def of_conversation(organization: str, conversation_id: str) -> list[Approval]:
    """Return a conversation's approvals, oldest first. One query, and a read for each."""
    found = [
        repository.approvals.find(organization, each)
        for each in repository.ids_in(organization, conversation_id)
    ]
    return [each for each in found if each is not None]
