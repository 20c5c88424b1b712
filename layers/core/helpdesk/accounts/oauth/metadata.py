"""Metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728; RFC 8707)."""

from collections.abc import Sequence

from helpdesk.accounts.oauth.errors import InvalidTarget
from helpdesk.accounts.oauth.record import AUTH_METHODS, GRANT_TYPES
from helpdesk.accounts.oauth.schemas import ResourceMetadata, ServerMetadata
from helpdesk.api.admission.caller import Scope


def issuer_of(base_url: str) -> str:
    """Return the authorization server's identifier, which is also the address of the API as a resource."""
    return f"{base_url}/v1"


def server(base_url: str) -> ServerMetadata:
    """Return the authorization server's metadata."""
    issuer = issuer_of(base_url)
    return ServerMetadata(
        issuer=issuer,
        authorization_endpoint=f"{issuer}/oauth/authorize",
        token_endpoint=f"{issuer}/oauth/token",
        registration_endpoint=f"{issuer}/oauth/register",
        revocation_endpoint=f"{issuer}/oauth/revoke",
        device_authorization_endpoint=f"{issuer}/oauth/device_authorization",
        response_types_supported=["code"],
        response_modes_supported=["query"],
        grant_types_supported=list(GRANT_TYPES),
        token_endpoint_auth_methods_supported=list(AUTH_METHODS),
        revocation_endpoint_auth_methods_supported=list(AUTH_METHODS),
        code_challenge_methods_supported=["S256"],
        scopes_supported=[each.value for each in Scope],
        authorization_response_iss_parameter_supported=True,
        service_documentation=f"{issuer}/docs",
    )


def resource(base_url: str) -> ResourceMetadata:
    """Return the API's metadata as a resource."""
    issuer = issuer_of(base_url)
    return ResourceMetadata(
        resource=issuer,
        authorization_servers=[issuer],
        bearer_methods_supported=["header"],
        # Clients request what is listed here unless they know better: MANAGE is for those that ask on purpose.
        scopes_supported=[Scope.API.value],
        resource_name="Helpdesk API",
        resource_documentation=f"{issuer}/docs",
    )


def require_this_api(resources: Sequence[str], base_url: str) -> None:
    """Raise InvalidTarget unless every requested resource is this API or an address below it.

    A token is valid for the whole API, so an address below it, such as that of a tool server, means the same.
    """
    own = issuer_of(base_url)
    for wanted in resources:
        below = wanted.startswith(f"{own}/") and "#" not in wanted and "/../" not in f"{wanted}/"
        if wanted != own and not below:
            raise InvalidTarget
