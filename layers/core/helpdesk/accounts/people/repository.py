"""Items of people, and of the access tokens that the operator issues."""

from helpdesk.accounts.people.errors import MAX_ORGANIZATIONS, AlreadyAMember, TooManyOrganizations
from helpdesk.accounts.people.record import PersonRecord, hash_of_email
from helpdesk.api.admission.caller import Person, Role
from helpdesk.platform import clock
from helpdesk.platform.errors import ConsentRequired, InvalidToken
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_ROLE_AS_READ = "organizations.#organization.#role = :old"


def by_id(user_id: str) -> PersonRecord | None:
    """Return a person, or None."""
    item = table.get(keys.Person(user_id))
    return PersonRecord.from_item(item) if item else None


def claimed_id(claim: Item) -> str:
    """Return the id of the person who has an address, from the claim on the address."""
    user_id: str = claim["userId"]
    return user_id


def id_by_email(email_hash: str) -> str | None:
    """Return the id of the person with this address's SHA-256, or None."""
    item = table.get(keys.PersonByEmail(email_hash))
    return claimed_id(item) if item else None


def put(transaction: Transaction, person: PersonRecord) -> None:
    """Add a new person. The transaction raises ConditionFailed with the existing claim if the address is taken."""
    transaction.put(
        {**keys.PersonByEmail(hash_of_email(person.email)).attributes(), "userId": person.id},
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(
        {
            **keys.Person(person.id).attributes(),
            **person.to_item(),
            "createdAt": clock.now_ms(),
        },
        new=True,
    )


def join(transaction: Transaction, user_id: str, name: str, organization: str, role: Role) -> None:
    """Add an organization to the person's list.

    The transaction raises AlreadyAMember, TooManyOrganizations, InvalidToken if the person is gone, and ConditionFailed
    if their name is no longer this one, which the list of members also holds.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return InvalidToken()
        if organization in found["organizations"]:
            return AlreadyAMember()
        return TooManyOrganizations() if found["name"] == name else ConditionFailed(found)

    transaction.update(
        keys.Person(user_id),
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
        keys.Person(user_id),
        "REMOVE organizations.#organization",
        condition=_ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": old.value},
        on_failure=ConditionFailed,
    )


def set_role(transaction: Transaction, user_id: str, organization: str, old: Role, new: Role) -> None:
    """Change the person's role in an organization; conditions as in `leave`."""
    transaction.update(
        keys.Person(user_id),
        "SET organizations.#organization.#role = :new",
        condition=_ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": old.value, ":new": new.value},
        on_failure=ConditionFailed,
    )


def require_role(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Require that the person still has this role in an organization. The transaction raises ConditionFailed."""
    transaction.require(
        keys.Person(user_id),
        _ROLE_AS_READ,
        names={"#organization": organization, "#role": "role"},
        values={":old": role.value},
        on_failure=ConditionFailed,
    )


def require_member(transaction: Transaction, user_id: str, organization: str, on_failure: Exception) -> None:
    """Require that the person belongs to an organization, in any role."""
    transaction.require(
        keys.Person(user_id),
        "attribute_exists(organizations.#organization)",
        names={"#organization": organization},
        on_failure=lambda _: on_failure,
    )


def require_member_since(
    transaction: Transaction, user_id: str, organization: str, bound_at: int, on_failure: Exception
) -> None:
    """Require that the person belongs to an organization, and has not left it since an instant (ms).

    So what was bound to a membership ends with it, even if the person comes back.
    """
    transaction.require(
        keys.Person(user_id),
        "attribute_exists(organizations.#organization) AND (attribute_not_exists(organizations.#organization.joinedAt) "
        "OR organizations.#organization.joinedAt <= :bound)",
        names={"#organization": organization},
        values={":bound": bound_at},
        on_failure=lambda _: on_failure,
    )


def set_name(transaction: Transaction, person: PersonRecord, name: str) -> None:
    """Change the name of a person that was read. The transaction raises ConditionFailed if their roles changed."""
    transaction.update(
        keys.Person(person.id),
        "SET #name = :name",
        condition="attribute_exists(PK) AND organizations = :seen",
        names={"#name": "name"},
        values={":name": name, ":seen": person.to_item()["organizations"]},
        on_failure=ConditionFailed,
    )


def add_token(
    transaction: Transaction,
    token_hash: str,
    user_id: str,
    organization: str,
    *,
    client_id: str,
    seconds: int,
) -> None:
    """Add an access token without a grant, which acts in an organization and is valid for a number of seconds."""
    transaction.put(
        {
            **keys.AccessToken(token_hash).attributes(),
            "userId": user_id,
            "organization": organization,
            "boundAt": clock.now_ms(),
            "grantId": None,
            "clientId": client_id,
            "validUntil": clock.now_ms() + seconds * 1_000,
            "expiresAt": clock.seconds_from_now(seconds),
        },
        new=True,
    )


def set_token_organization(transaction: Transaction, person: Person, organization: str | None) -> None:
    """Set the organization of an access token; of one with a grant only the first, and that of its grant with it.

    The transaction raises InvalidToken if one is gone, or if the token ended in that organization before: a token that
    ended because its person left stays ended there, even when it acted in another organization in between. It raises
    ConsentRequired if another token of the grant took an organization in the meantime.
    """
    expression, condition = "SET organization = :organization, boundAt = :now", "attribute_exists(PK)"
    values: Item = {":organization": organization, ":now": clock.now_ms()}
    if organization is not None:
        condition += " AND NOT contains(endedIn, :organization)"
    if person.ended_in is not None:
        expression += ", endedIn = list_append(if_not_exists(endedIn, :none), :ended)"
        condition += " AND organization <> :organization"
        values |= {":none": [], ":ended": [person.ended_in]}
    transaction.update(
        keys.AccessToken(person.token_hash),
        expression,
        condition=condition,
        values=values,
        on_failure=lambda _: InvalidToken(),
    )
    if person.grant_id is not None and organization is not None:
        _bind_grant(transaction, person.grant_id, organization)


def _bind_grant(transaction: Transaction, grant_id: str, organization: str) -> None:
    transaction.update(
        keys.Grant(grant_id),
        "SET organization = :organization, boundAt = :now, GSI2PK = :list, GSI2SK = :id",
        condition="organization = :none",
        values={
            ":organization": organization,
            ":now": clock.now_ms(),
            ":list": keys.grants_of_organization(organization),
            ":id": grant_id,
            ":none": None,
        },
        on_failure=lambda found: ConsentRequired() if found else InvalidToken(),
    )
