"""Items of people, and the organizations of their access tokens."""

from helpdesk.accounts.people.errors import MAX_ORGANIZATIONS, AlreadyAMember, TooManyOrganizations
from helpdesk.accounts.people.record import BoundGrant, PersonByEmail, PersonRecord, hash_of_email
from helpdesk.api.admission.caller import Person, Role
from helpdesk.api.admission.record import AccessToken
from helpdesk.platform import clock
from helpdesk.platform.errors import ConsentRequired, InvalidToken
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_ROLE_AS_READ = "organizations.#organization.#role = :old"


people = Collection(PersonRecord)
emails = Collection(PersonByEmail)


def put(transaction: Transaction, person: PersonRecord) -> None:
    """Add a new person. The transaction raises ConditionFailed with the existing claim if the address is taken."""
    claim = PersonByEmail(email_hash=hash_of_email(person.email), user_id=person.id)
    transaction.put(claim, new=True, on_failure=ConditionFailed)
    transaction.put(person, new=True)


def join(transaction: Transaction, user_id: str, name: str, organization: str, role: Role) -> None:
    """Add an organization to the person's list.

    The transaction raises AlreadyAMember, TooManyOrganizations, InvalidToken if the person is gone, and ConditionFailed
    if their name is no longer this one, which the list of members also holds.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return InvalidToken()
        person = PersonRecord.from_item(found)
        if organization in person.organizations:
            return AlreadyAMember()
        return TooManyOrganizations() if person.name == name else ConditionFailed(found)

    transaction.update(
        PersonRecord.key_for(user_id),
        "SET organizations.#organization = :membership",
        condition=(
            "attribute_exists(PK) AND attribute_not_exists(organizations.#organization) "
            "AND size(organizations) < :most AND #name = :name"
        ),
        names={"#organization": organization, "#name": "name"},
        values={
            ":membership": {"role": role.value, "joinedAt": clock.now_ms()},
            ":most": MAX_ORGANIZATIONS,
            ":name": name,
        },
        on_failure=meaning,
    )


def leave(transaction: Transaction, user_id: str, organization: str, old: Role) -> None:
    """Remove an organization from the person's list.

    The transaction raises ConditionFailed if their role there is not the one that was read.
    """
    transaction.update(
        PersonRecord.key_for(user_id),
        "REMOVE organizations.#organization",
        condition=_ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": old.value},
        on_failure=ConditionFailed,
    )


def set_role(transaction: Transaction, user_id: str, organization: str, old: Role, new: Role) -> None:
    """Change the person's role in an organization; conditions as in `leave`."""
    transaction.update(
        PersonRecord.key_for(user_id),
        "SET organizations.#organization.#role = :new",
        condition=_ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": old.value, ":new": new.value},
        on_failure=ConditionFailed,
    )


def require_role(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Require that the person still has this role in an organization. The transaction raises ConditionFailed."""
    transaction.require(
        PersonRecord.key_for(user_id),
        _ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": role.value},
        on_failure=ConditionFailed,
    )


def require_member(transaction: Transaction, user_id: str, organization: str, on_failure: Exception) -> None:
    """Require that the person belongs to an organization, in any role."""
    transaction.require(
        PersonRecord.key_for(user_id),
        "attribute_exists(organizations.#organization)",
        names={"#organization": organization},
        on_failure=on_failure,
    )


def require_member_since(
    transaction: Transaction, user_id: str, organization: str, bound_at: int, on_failure: Exception
) -> None:
    """Require that the person belongs to an organization, and has not left it since an instant (ms).

    So what was bound to a membership ends with it, even if the person comes back.
    """
    transaction.require(
        PersonRecord.key_for(user_id),
        "organizations.#organization.joinedAt <= :bound",
        names={"#organization": organization},
        values={":bound": bound_at},
        on_failure=on_failure,
    )


def set_name(transaction: Transaction, person: PersonRecord, name: str) -> None:
    """Change the name of a person that was read. The transaction raises ConditionFailed if their roles changed."""
    transaction.change(
        person.key,
        set={"name": name},
        require={"organizations": person.organizations},
        on_failure=ConditionFailed,
    )


def set_token_organization(transaction: Transaction, person: Person, organization: str | None) -> None:
    """Set the organization of an access token; of one with a grant only the first, and that of its grant with it.

    The transaction raises InvalidToken if one is gone, or if the token ended in that organization before: a token that
    ended because its person left stays ended there, even when it acted in another organization in between. It raises
    ConsentRequired if another token of the grant took an organization in the meantime.
    """
    values: Item = {":now": clock.now_ms()}
    if organization is None:
        expression, condition = "SET boundAt = :now REMOVE organization", "attribute_exists(PK)"
    else:
        expression = "SET organization = :organization, boundAt = :now"
        condition = "attribute_exists(PK) AND NOT contains(endedIn, :organization)"
        values[":organization"] = organization
        if person.ended_in is not None:
            expression += ", endedIn = list_append(if_not_exists(endedIn, :none), :ended)"
            condition += " AND organization <> :organization"
            values |= {":none": [], ":ended": [person.ended_in]}
    transaction.update(
        AccessToken.key_for(person.token_hash),
        expression,
        condition=condition,
        values=values,
        on_failure=InvalidToken(),
    )
    if person.grant_id is not None and organization is not None:
        bound = BoundGrant(id=person.grant_id, organization=organization, bound_at=clock.now_ms())
        transaction.change(
            bound.key,
            set={
                "organization": bound.organization,
                "bound_at": bound.bound_at,
                **bound.index_entry("GSI2"),
            },
            require={"organization": None},
            on_failure=lambda found: ConsentRequired() if found else InvalidToken(),
        )
