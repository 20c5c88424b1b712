"""What the operator's command provisions: an organization with its first key, and a member's access token."""

from helpdesk.accounts.members.errors import MemberNotFound
from helpdesk.accounts.organizations.schemas import MAX_NAME_CHARACTERS, NewOrganization
from helpdesk.accounts.organizations.slugs import require_slug
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord, normalized_email
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.accounts.service import add_with_owner
from helpdesk.api.admission.limits import Plan, tier_of
from helpdesk.api.admission.record import AccessToken
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.text import valid_name
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage.transactions import Transaction

OPERATOR_CLIENT = "operator"
"""The client id of the access tokens that the operator issues."""
MAX_TOKEN_HOURS = 720


def create_organization(
    *,
    name: str,
    slug: str,
    owner_name: str,
    owner_email: str,
    plan: Plan,
    api_limits: bool,
    unlimited_api: bool,
) -> NewOrganization:
    """Create an organization with its owner, a secret key and a publishable key.

    Raises InvalidRequest, InvalidSlug, SlugTaken, InvalidEmail. The secret key is returned only here: the table holds
    its hash.
    """
    name = valid_name(name, MAX_NAME_CHARACTERS)
    require_slug(slug)
    organization = ids.new("org")
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)

    def attempt(owner: PersonRecord) -> NewOrganization:
        transaction = Transaction()
        key, live_keys = secret_keys.add_first(transaction, organization, "First key")
        publishable_key = add_with_owner(transaction, organization, name, slug, owner, plan, tier, live_keys)
        transaction.put(
            logs.entry(
                organization,
                LogKind.ORGANIZATION_CREATED,
                actor=logs.SYSTEM,
                summary=f"Organization {slug} was created.",
            )
        )
        transaction.commit()
        return NewOrganization(
            organization_id=organization,
            owner_id=owner.id,
            secret_key=key,
            publishable_key=publishable_key,
        )

    return people.retry_on_rename(people.find_or_create(owner_email, owner_name), attempt)


def issue_token(organization: str, email: str, *, hours: int) -> str:
    """Return a new access token of a member, which acts in the organization and cannot be refreshed.

    For the local stack, and for stacks where nobody can sign in. The token is returned only here: the table holds its
    hash. Raises InvalidEmail, MemberNotFound.
    """
    if not 1 <= hours <= MAX_TOKEN_HOURS:
        raise ValueError(f"a token must last 1 to {MAX_TOKEN_HOURS} hours")
    person = people.by_email(normalized_email(email))
    if person is None:
        raise MemberNotFound
    token = f"svc_oat_{person.id.removeprefix('usr_')}_{ids.secret()}"
    transaction = Transaction()
    people.require_member(transaction, person.id, organization, MemberNotFound())
    now = clock.now_ms()
    transaction.put(
        AccessToken(
            token_hash=sha256_hex(token),
            user_id=person.id,
            organization=organization,
            bound_at=now,
            client_id=OPERATOR_CLIENT,
            valid_until=now + hours * HOUR_MS,
        ),
        new=True,
    )
    transaction.commit()
    return token
