"""Items of people."""

from helpdesk.admission.caller import Role
from helpdesk.people.errors import MAX_ORGANIZATIONS, AlreadyAMember, TooManyOrganizations
from helpdesk.people.record import PersonRecord
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidToken
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


def get(user_id: str) -> PersonRecord | None:
    """Return a person, or None."""
    item = table.get(keys.Person(user_id))
    return PersonRecord.from_item(item) if item else None


def id_by_email(email_hash: str) -> str | None:
    """Return the id of the person with this address's SHA-256, or None."""
    item = table.get(keys.PersonByEmail(email_hash))
    return item["userId"] if item else None


def put(transaction: Transaction, user_id: str, name: str, email: str, email_hash: str) -> None:
    """Add a new person. The transaction raises ConditionFailed with the claim of who has the address already."""
    transaction.put(
        {**keys.PersonByEmail(email_hash).attributes(), "userId": user_id},
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(
        {
            **keys.Person(user_id).attributes(),
            "id": user_id,
            "name": name,
            "email": email,
            "organizations": {},
            "createdAt": clock.now_ms(),
        },
        new=True,
    )


def join(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Enter an organization in the person's list.

    The transaction raises AlreadyAMember, TooManyOrganizations, or InvalidToken where the person is gone.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return InvalidToken()
        return AlreadyAMember() if organization in found["organizations"] else TooManyOrganizations()

    transaction.update(
        keys.Person(user_id),
        "SET organizations.#organization = :membership",
        condition=(
            "attribute_exists(PK) AND attribute_not_exists(organizations.#organization) "
            "AND size(organizations) < :most"
        ),
        names={"#organization": organization},
        values={":membership": {"role": role.value}, ":most": MAX_ORGANIZATIONS},
        on_failure=meaning,
    )
