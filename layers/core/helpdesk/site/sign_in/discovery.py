"""What an OpenID Connect provider says about itself, read when the settings are saved.

Specification: OpenID Connect Discovery 1.0, section 4.
"""

from typing import Any
from urllib.parse import urlsplit

from helpdesk.outbound import addresses
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform import received_json
from helpdesk.platform.errors import InvalidJson
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.site.sign_in.errors import MAX_ISSUER_CHARACTERS, DiscoveryFailed

PATH = "/.well-known/openid-configuration"
MAX_BYTES = 256 * 1024
DEADLINE_SECONDS = 10.0
ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
)  # fmt: skip
"""The signatures of ID tokens that are accepted: by keys of the provider, never by the client secret."""


class Discovered(Record, kw_only=True):
    """The parts of a discovery document that a sign-in needs."""

    authorization: str
    token: str
    jwks: str
    userinfo: str | None
    secret_in_body: bool
    names_issuer: bool


def require_issuer(issuer: str) -> None:
    """Require that an issuer is an https URL on the public internet without a query. Raises InvalidUrl."""
    if len(issuer) > MAX_ISSUER_CHARACTERS or "?" in issuer or "#" in issuer:
        raise InvalidUrl(
            f"`oidc.issuer` must be an https URL of at most {MAX_ISSUER_CHARACTERS} characters without a query."
        )
    _require_public("`oidc.issuer`", issuer)


def discover(issuer: str) -> Discovered:
    """Read the discovery document of an issuer. Raises InvalidUrl, DiscoveryFailed."""
    require_issuer(issuer)
    document = _document(issuer)
    said = document.get("issuer")
    if said != issuer:
        named = f'"{said[:200]}"' if isinstance(said, str) else "none"
        raise DiscoveryFailed(
            f"The provider's discovery document names another issuer: {named}. "
            "Set `oidc.issuer` exactly as the provider writes it, with or without a trailing slash."
        )
    if "code" not in _texts(document, "response_types_supported", ["code"]):
        raise DiscoveryFailed("The provider does not offer the code flow (`response_types_supported`).")
    if not set(ALGORITHMS) & set(_texts(document, "id_token_signing_alg_values_supported", ["RS256"])):
        raise DiscoveryFailed(
            f"The provider signs ID tokens with none of {', '.join(ALGORITHMS)}. Choose one of them there."
        )
    methods = _texts(document, "token_endpoint_auth_methods_supported", ["client_secret_basic"])
    if not {"client_secret_basic", "client_secret_post"} & set(methods):
        raise DiscoveryFailed("The provider accepts neither client_secret_basic nor client_secret_post.")
    return Discovered(
        authorization=_endpoint(document, "authorization_endpoint"),
        token=_endpoint(document, "token_endpoint"),
        jwks=_endpoint(document, "jwks_uri"),
        userinfo=_endpoint(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else None,
        secret_in_body="client_secret_basic" not in methods,
        names_issuer=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _document(issuer: str) -> dict[str, Any]:
    # Imported here: the function that changes settings makes few requests.
    from helpdesk.outbound.exchange import Request, exchange  # noqa: PLC0415

    url = issuer.rstrip("/") + PATH
    reply = exchange(
        Request("GET", url, {"user-agent": "Helpdesk-Sign-In/1.0"}),
        max_bytes=MAX_BYTES,
        deadline_seconds=DEADLINE_SECONDS,
        allow_loopback=settings().allow_loopback_urls,
    )
    if reply.failure is not None or reply.status != 200:
        why = f"HTTP {reply.status}" if reply.failure is None else reply.failure.value
        raise DiscoveryFailed(
            f"{url} could not be read ({why}). Check `oidc.issuer`, and that the provider "
            "can be reached from the internet."
        )
    try:
        document = received_json.read(reply.body) if not reply.too_large else None
    except InvalidJson:
        document = None
    if not isinstance(document, dict):
        raise DiscoveryFailed(f"{url} is not a JSON object. Check `oidc.issuer`.")
    return document


def _texts(document: dict[str, Any], name: str, default: list[str]) -> list[str]:
    listed = document.get(name, default)
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _endpoint(document: dict[str, Any], name: str) -> str:
    url = document.get(name)
    if not isinstance(url, str):
        raise DiscoveryFailed(f"The provider's discovery document has no `{name}`.")
    try:
        _require_public(f"The provider's `{name}`", url)
    except InvalidUrl as error:
        raise DiscoveryFailed(error.message) from None
    return url


def _require_public(what: str, url: str) -> None:
    try:
        # What a name resolves to is checked with each request.
        addresses.parse(url, allow_loopback=settings().allow_loopback_urls)
    except InvalidUrl as error:
        raise InvalidUrl(f"{what} can't be used. {error.message}") from None


def origin(url: str) -> str:
    """Return scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
