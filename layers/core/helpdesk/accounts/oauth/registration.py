"""Clients: registration (RFC 7591) and authentication (RFC 6749, section 2.3)."""

import base64
import hmac
import re
from typing import Protocol
from urllib.parse import unquote_plus

from pydantic import SecretStr

from helpdesk.accounts.oauth import console, limits, redirects, repository
from helpdesk.accounts.oauth.errors import (
    InvalidClient,
    InvalidClientMetadata,
    InvalidOAuthRequest,
    InvalidRedirectUri,
)
from helpdesk.accounts.oauth.record import (
    AUTH_METHODS,
    CODE_GRANT,
    GRANT_TYPES,
    NO_SECRET,
    OAuthClient,
    scopes_in,
)
from helpdesk.accounts.oauth.schemas import ClientRegistration, RegisteredClient
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.text import as_name
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table

MAX_NAME_CHARACTERS = 80
UNNAMED = "A program without a name"
_CLIENT_ID = re.compile(r"client_[0-9a-z]{26}")
# A name keeps its joiners elsewhere; here they could make a program look like another.
_JOINERS = dict.fromkeys([0x200C, 0x200D])
_MAX_URI_CHARACTERS = 500
_WEB_ADDRESS = re.compile(r"https://[!-~]+")


class Identified(Protocol):
    """A form with which a client can identify itself."""

    @property
    def client_id(self) -> str | None:
        """Return the client's id."""

    @property
    def client_secret(self) -> SecretStr | None:
        """Return the client's secret."""


def register(wanted: ClientRegistration, address: str) -> RegisteredClient:
    """Register a client. Raises TooManyRequests, InvalidRedirectUri, InvalidClientMetadata."""
    limits.charge_registration(address)
    grant_types = _grant_types(wanted)
    uris = list(dict.fromkeys(wanted.redirect_uris or []))
    redirects.require_registrable(uris)
    if CODE_GRANT in grant_types and not uris:
        raise InvalidRedirectUri("`redirect_uris` must have at least one address for authorization_code.")
    if set(wanted.response_types or ["code"]) != {"code"} and CODE_GRANT in grant_types:
        raise InvalidClientMetadata('`response_types` must be ["code"].')
    method = wanted.token_endpoint_auth_method or "client_secret_basic"
    if method not in AUTH_METHODS:
        raise InvalidClientMetadata(f"`token_endpoint_auth_method` must be one of {', '.join(AUTH_METHODS)}.")
    uri = wanted.client_uri
    if uri and (len(uri) > _MAX_URI_CHARACTERS or _WEB_ADDRESS.fullmatch(uri) is None):
        raise InvalidClientMetadata(
            f"`client_uri` must be an https address of up to {_MAX_URI_CHARACTERS} characters."
        )
    secret = None if method == NO_SECRET else f"svc_ocs_{ids.secret()}"
    client = OAuthClient(
        id=ids.new("client"),
        name=as_name((wanted.client_name or "").translate(_JOINERS), MAX_NAME_CHARACTERS) or UNNAMED,
        redirect_uris=uris,
        auth_method=method,
        grant_types=grant_types,
        secret_hash=sha256_hex(secret) if secret else None,
        created_at=clock.now_ms(),
        expires_at=clock.seconds_from_now(repository.UNAPPROVED_CLIENT_DAYS * DAY_SECONDS),
    )
    table.put_new(client)
    return RegisteredClient(
        client_id=client.id,
        client_id_issued_at=clock.now_ms() // 1_000,
        client_name=client.name,
        redirect_uris=uris,
        token_endpoint_auth_method=method,
        grant_types=grant_types,
        response_types=["code"] if CODE_GRANT in grant_types else [],
        scope=" ".join(scopes_in(wanted.scope)),
        client_uri=uri or None,
        client_secret=secret,
        client_secret_expires_at=0 if secret else None,
    )


def _grant_types(wanted: ClientRegistration) -> list[str]:
    """Return the requested grant types that exist; a registration may get fewer than it requests."""
    requested = wanted.grant_types or [CODE_GRANT]
    taken = [grant for grant in GRANT_TYPES if grant in requested]
    if not set(taken) & set(GRANT_TYPES[::2]):
        raise InvalidClientMetadata(f"`grant_types` must include {CODE_GRANT} or {GRANT_TYPES[2]}.")
    return taken


def by_id(client_id: str | None) -> OAuthClient | None:
    """Return a registered client, or the console, or None."""
    if client_id == console.CLIENT.id:
        return console.CLIENT
    return (
        repository.registered_clients.find(client_id)
        if client_id and _CLIENT_ID.fullmatch(client_id)
        else None
    )


def authenticated(form: Identified, authorization: str) -> OAuthClient:
    """Return the client that sends a form, authenticated. Raises InvalidClient, InvalidOAuthRequest."""
    client_id, secret = form.client_id, form.client_secret.get_secret_value() if form.client_secret else None
    scheme, _, credentials = authorization.partition(" ")
    if scheme.lower() == "basic":
        if secret is not None:
            raise InvalidOAuthRequest("Send the client's secret by HTTP Basic or in the form, not both.")
        basic_id, secret = _basic(credentials.strip())
        if client_id is not None and client_id != basic_id:
            raise InvalidOAuthRequest("`client_id` must be the same as in the Authorization header.")
        client_id = basic_id
    if client_id is None:
        raise InvalidClient("Send `client_id`.")
    client = by_id(client_id)
    if client is None:
        raise InvalidClient
    if client.secret_hash is None:
        if secret is not None:
            raise InvalidClient("This client is registered without a secret. Do not send one.")
        return client
    if secret is None or not hmac.compare_digest(sha256_hex(secret), client.secret_hash):
        raise InvalidClient
    return client


def _basic(credentials: str) -> tuple[str, str]:
    try:
        name, colon, secret = base64.b64decode(credentials, validate=True).decode().partition(":")
    except ValueError:  # not Base64, or not UTF-8
        raise InvalidClient("The Authorization header must use HTTP Basic.") from None
    if not colon:
        raise InvalidClient("The Authorization header must use HTTP Basic.")
    return unquote_plus(name), unquote_plus(secret)
