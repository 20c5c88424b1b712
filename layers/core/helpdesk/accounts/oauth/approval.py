"""Authorization requests and the person's decision on them (RFC 6749, section 4.1; RFC 7636; RFC 9207)."""

import re

from helpdesk.accounts.oauth import console, device, metadata, redirects, registration, repository
from helpdesk.accounts.oauth.errors import (
    InvalidAuthorizationRequest,
    InvalidOAuthRequest,
    OAuthError,
    RequestExpired,
    UnauthorizedClient,
    UnsupportedResponseType,
)
from helpdesk.accounts.oauth.record import (
    CODE_GRANT,
    Approval,
    AuthorizationCode,
    AuthorizationRequest,
    DeviceCode,
    OAuthClient,
    scopes_in,
)
from helpdesk.accounts.oauth.schemas import AuthorizeQuery
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Scope
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction

REQUEST_MINUTES = 30
CODE_SECONDS = 120
MAX_STATE_CHARACTERS = 2_000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


def read(query: AuthorizeQuery, browser: Browser, base_url: str) -> tuple[str, AuthorizationRequest]:
    """Return an authorization request with its handle; it isn't stored yet.

    Raises InvalidAuthorizationRequest. No error leads to the client before a person has signed in and seen it: anyone
    can register a client, and a link to this API would otherwise lead to any site (RFC 9700, section 4.11.2).
    """
    client, redirect_uri = _client_and_redirect(query, base_url)
    try:
        _require_well_formed(query, client, base_url)
    except OAuthError as error:
        raise InvalidAuthorizationRequest(
            f"The program that sent you here made a mistake ({error.code}): {error.message} "
            "Go back to it and try again."
        ) from None
    handle = ids.secret()
    pending = AuthorizationRequest(
        request_hash=sha256_hex(handle),
        browser_hash=browser.hash,
        valid_until=_request_end(),
        client_id=client.id,
        client_name=client.name,
        redirect_uri=redirect_uri,
        redirect_sent=query.redirect_uri or None,
        state=query.state,
        challenge=query.code_challenge or "",
        scopes=tuple(Scope) if client is console.CLIENT else scopes_in(query.scope),
        organization=query.organization if client is console.CLIENT else None,
    )
    return handle, pending


def _client_and_redirect(query: AuthorizeQuery, base_url: str) -> tuple[OAuthClient, str]:
    if query.repeated & {"client_id", "redirect_uri"}:
        raise InvalidAuthorizationRequest
    client = registration.by_id(query.client_id)
    if client is None:
        raise InvalidAuthorizationRequest(
            "The program that sent you here is not registered with us. Go back to it and try again."
        )
    if client is console.CLIENT and query.redirect_uri == console.redirect_uri(base_url):
        return client, query.redirect_uri
    if not query.redirect_uri:
        if len(client.redirect_uris) != 1:
            raise InvalidAuthorizationRequest
        return client, client.redirect_uris[0]
    if not redirects.is_registered(query.redirect_uri, client.redirect_uris):
        raise InvalidAuthorizationRequest(
            "The program that sent you here requested a redirect to an address that it did not register. "
            "If you did not expect this, close the page."
        )
    return client, query.redirect_uri


def _require_well_formed(query: AuthorizeQuery, client: OAuthClient, base_url: str) -> None:
    if query.repeated:
        # A name that the link invents does not appear on our page.
        known = sorted(query.repeated & AuthorizeQuery.model_fields.keys())
        raise InvalidOAuthRequest(f"{known[0] if known else 'A parameter'} was sent more than once.")
    if CODE_GRANT not in client.grant_types:
        raise UnauthorizedClient
    if not query.response_type:
        raise InvalidOAuthRequest("response_type is required.")
    if query.response_type != "code":
        raise UnsupportedResponseType
    if query.code_challenge_method != "S256":
        raise InvalidOAuthRequest("code_challenge_method must be S256.")
    if _CHALLENGE.fullmatch(query.code_challenge or "") is None:
        raise InvalidOAuthRequest("code_challenge must be the base64url SHA-256 of the code verifier.")
    if len(query.state or "") > MAX_STATE_CHARACTERS:
        raise InvalidOAuthRequest(f"state must be at most {MAX_STATE_CHARACTERS:,} characters.")
    metadata.require_this_api([each for each in query.resource if each], base_url)


def begin_device(known: DeviceCode, user_code: str, browser: Browser) -> str:
    """Store what a device asks of the person who entered its user code; return the handle."""
    handle = ids.secret()
    pending = AuthorizationRequest(
        request_hash=sha256_hex(handle),
        browser_hash=browser.hash,
        valid_until=_request_end(),
        client_id=known.client_id,
        client_name=known.client_name,
        device_hash=known.device_hash,
        user_code=device.spelled(user_code),
        scopes=known.scopes,
    )
    table.put_new(pending)
    return handle


def _request_end() -> int:
    return clock.now_ms() + REQUEST_MINUTES * MINUTE_MS


def pending_request(handle: str, browser: Browser) -> AuthorizationRequest:
    """Return the request of a handle. Raises RequestExpired, also in another browser."""
    found = repository.requests.find(sha256_hex(handle)) if ids.is_secret(handle) else None
    if found is None or found.valid_until <= clock.now_ms() or not browser.began(found.browser_hash):
        raise RequestExpired
    return found


def allow(
    found: AuthorizationRequest, person: PersonRecord, organization: str | None, base_url: str
) -> str | None:
    """Allow the client to act for the person; return the address of the redirect, None for a device, which polls.

    Raises RequestExpired if the request was answered before. `organization` is one of the person's, or None.
    """
    transaction = Transaction()
    repository.remove_request(transaction, found)
    if found.device_hash:
        repository.decide_device(
            transaction,
            found.device_hash,
            Approval(person.id, found.client_id, organization, clock.now_ms(), found.scopes),
        )
        transaction.commit()
        return None
    return with_code(transaction, found, person, organization, base_url)


def with_code(
    transaction: Transaction,
    found: AuthorizationRequest,
    person: PersonRecord,
    organization: str | None,
    base_url: str,
) -> str:
    """Store a code, in a transaction that this commits, and return the redirect that brings it to the client."""
    code, now = ids.secret(), clock.now_ms()
    record = AuthorizationCode(
        code_hash=sha256_hex(code),
        user_id=person.id,
        client_id=found.client_id,
        organization=organization,
        bound_at=now,
        scopes=found.scopes,
        grant_id=ids.new("grant"),
        redirect_uri=found.redirect_uri,
        redirect_sent=found.redirect_sent,
        challenge=found.challenge,
        valid_until=now + CODE_SECONDS * 1_000,
    )
    transaction.put(record, new=True)
    transaction.commit()
    issuer = metadata.issuer_of(base_url)
    return redirects.with_answer(found.redirect_uri, code=code, state=found.state, iss=issuer)


def deny(found: AuthorizationRequest, base_url: str) -> str | None:
    """Refuse the client; return the address of the redirect, None for a device. Raises RequestExpired."""
    transaction = Transaction()
    repository.remove_request(transaction, found)
    if found.device_hash:
        repository.decide_device(transaction, found.device_hash, None)
    transaction.commit()
    if found.device_hash:
        return None
    return refusal(found, "access_denied", "The person denied the request.", base_url)


def refusal(found: AuthorizationRequest, error: str, description: str, base_url: str) -> str:
    """Return the redirect that brings an error to the client."""
    issuer = metadata.issuer_of(base_url)
    return redirects.with_answer(
        found.redirect_uri, error=error, error_description=description, state=found.state, iss=issuer
    )
