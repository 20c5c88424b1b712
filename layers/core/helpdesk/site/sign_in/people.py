"""The customer who signs in, from what the app or the provider says of them, or from the address of a code."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.conversations.messages import sessions, visitors
from helpdesk.customers import identities, merging
from helpdesk.customers.identities import Proven
from helpdesk.customers.merging import MergeJob
from helpdesk.customers.profile import UserInput
from helpdesk.customers.record import EXTERNAL_ID, MAX_EXTERNAL_ID_CHARACTERS
from helpdesk.platform.text import as_name
from helpdesk.site.sign_in.errors import Refused
from helpdesk.site.visitors.browsers import Browser, Visitor
from helpdesk.storage.transactions import Transaction

MAX_SUBJECT_CHARACTERS = 255
"""The most that a provider's `sub` may have (OpenID Connect Core 1.0, section 2)."""


def by_address(organization: str, email: str) -> Visitor:
    """Return the customer of an address that received a code; the first sign-in creates them."""
    return _visitor(organization, Proven((identities.hash_of_address(email),), {"email": email}))


def by_claims(organization: str, issuer: str | None, claims: Mapping[str, Any]) -> Visitor:
    """Return the customer of whom a token's claims are; the first sign-in creates them.

    issuer  the provider; None for the customer's app
    claims  `sub`, and `name`, `email`, `email_verified` and `picture` as OpenID Connect names them (Core, section 5.1)

    An address proves who they are, and is given to tools, only if it is said to be verified. Raises Refused.
    """
    subject = _subject(issuer, claims.get("sub"))
    of_subject = (
        identities.hash_of("app", subject) if issuer is None else identities.hash_of("oidc", issuer, subject)
    )
    hashes, email = [of_subject], _address(claims.get("email"))
    is_verified = claims.get("email_verified") is True
    if email is not None and is_verified:
        hashes.append(identities.hash_of_address(email))
    named = {"name": claims.get("name"), "email": email, "avatarUrl": claims.get("picture")}
    sent: dict[str, Any] = {name: value for name, value in named.items() if isinstance(value, str)}
    if len(subject) <= MAX_EXTERNAL_ID_CHARACTERS:
        # A longer one would be cut, and tools could take it for somebody else's.
        sent |= {"metadata": {EXTERNAL_ID: subject}}
    said = _cleaned(sent)
    if "email" in said and not is_verified:
        said |= {"email_is_unproven": True}
    return _visitor(organization, Proven(tuple(hashes), said))


def bring_along(transaction: Transaction, organization: str, browser: Browser, visitor: Visitor) -> None:
    """Add to the transaction of a sign-in that what the browser wrote before becomes the customer's. One call, or none.

    The cookie of the browser proves that: it is the session in which an anonymous visitor wrote (docs/decisions/0218).
    Who was signed in has nothing to bring along.
    """
    if browser.is_new or browser.visitor is not None:
        return
    session_hash = sessions.hashed(browser.value)
    known = visitors.sessions.find(organization, session_hash)
    if known is not None:
        job = MergeJob(organization, known.customer_id, session_hash, visitor.customer_id)
        merging.put_job(transaction, job)


def _subject(issuer: str | None, sent: Any) -> str:
    """Return whom a token names. Raises Refused."""
    code = "invalid_user" if issuer is None else "invalid_id_token"
    most = MAX_EXTERNAL_ID_CHARACTERS if issuer is None else MAX_SUBJECT_CHARACTERS
    if not isinstance(sent, str) or not as_name(sent):
        raise Refused(code, "The token has no `sub`.")
    if len(sent) > most:
        raise Refused(code, f"The token's `sub` has more than {most} characters.")
    return sent


def _visitor(organization: str, proven: Proven) -> Visitor:
    customer = identities.find_or_create(organization, proven, visitors.introduce)
    # Who signs in always has a session: it is made with them.
    return Visitor(customer.id, str(customer.session_hash), customer.name, customer.email)


def _cleaned(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of a person by the rules of a message's `user` (Specification: Message input)."""
    try:
        return UserInput.model_validate(sent).said()
    except ValidationError:
        return {}


def _address(sent: Any) -> str | None:
    try:
        return normalized_email(sent) if isinstance(sent, str) else None
    except InvalidEmail:
        return None
