"""Items of members."""

from helpdesk.admission.caller import Role
from helpdesk.people.errors import AlreadyAMember
from helpdesk.platform import clock
from helpdesk.storage import keys
from helpdesk.storage.transactions import Transaction


def put(transaction: Transaction, organization: str, user_id: str, name: str, email: str, role: Role) -> None:
    """Add a member. The transaction raises AlreadyAMember."""
    transaction.put(
        {
            **keys.Member(organization, user_id).attributes(),
            "userId": user_id,
            "name": name,
            "email": email,
            "role": role.value,
            "joinedAt": clock.now_ms(),
        },
        new=True,
        on_failure=lambda _: AlreadyAMember(),
    )
