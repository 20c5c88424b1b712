"""Request and response models of the OAuth routes, with the names of the RFCs."""

from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, SecretStr

from helpdesk.api.admission.caller import Scope
from helpdesk.api.http.schemas import Answer, Form, Milliseconds, OpenBody, PageQuery, Query, schema_hint

_AS_SPELLED = ConfigDict(alias_generator=None)

_Uri = Annotated[str, schema_hint(format="uri")]


class OAuthAnswer(Answer):
    """A response as the RFCs define it: fields that do not apply are omitted."""

    model_config = _AS_SPELLED
    omits_null: ClassVar[bool] = True


class ClientRegistration(OpenBody):
    """A client's metadata (RFC 7591, section 2). Other fields are ignored."""

    model_config = _AS_SPELLED

    redirect_uris: list[str] | None = None
    """The exact addresses to which codes may be sent: https, http on loopback (any port can be used), or a private
    scheme with a dot. At least one for the grant type authorization_code, and at most ten."""
    client_name: str | None = None
    """The program's name as people see it; cut to 80 characters."""
    client_uri: str | None = None
    """The program's home page."""
    token_endpoint_auth_method: str | None = None
    """How the client authenticates: none, client_secret_basic (the default) or client_secret_post."""
    grant_types: list[str] | None = None
    """authorization_code (the default), refresh_token, urn:ietf:params:oauth:grant-type:device_code."""
    response_types: list[str] | None = None
    """Only code."""
    scope: str | None = None
    """`api`, the default, or `api manage`. The client isn't held to it: each login requests its own scopes."""


class RegisteredClient(OAuthAnswer):
    """The client as registered. Keep the secret, if there is one: it is shown only here."""

    client_id: str
    client_id_issued_at: int
    """In seconds since 1970."""
    client_name: str
    redirect_uris: list[str]
    token_endpoint_auth_method: str
    grant_types: list[str]
    response_types: list[str]
    scope: str
    client_uri: str | None = None
    client_secret: str | None = None
    client_secret_expires_at: int | None = None
    """0, which means never. Only with a secret."""


class AuthorizeQuery(Query):
    """The parameters of an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707). Others are ignored."""

    model_config = _AS_SPELLED

    client_id: str | None = None
    """The registered client."""
    redirect_uri: str | None = None
    """One of the client's redirect addresses; optional if the client registered exactly one."""
    response_type: str | None = None
    """`code`."""
    state: str | None = None
    """Returned unchanged with the response; up to 2,000 characters."""
    code_challenge: str | None = None
    """The base64url SHA-256 of the code verifier, 43 characters."""
    code_challenge_method: str | None = None
    """`S256`."""
    scope: str | None = None
    """`api`, the default, or `api manage`. Other names are ignored."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""
    prompt: str | None = None
    """`none` shows no page: without a session the response is the error `login_required`. For the console alone."""
    organization: str | None = None
    """The organization to act in, one of the person's. For the console alone: others let the person choose."""


class TokenForm(Form):
    """A token request (RFC 6749, 4.1.3 and 6; RFC 8628, 3.4). Others are ignored."""

    grant_type: str | None = None
    """authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code."""
    client_id: str | None = None
    """The client, unless it is sent by HTTP Basic."""
    client_secret: SecretStr | None = None
    """The client's secret, if it has one and does not send it by HTTP Basic."""
    code: str | None = None
    """With authorization_code: the code."""
    redirect_uri: str | None = None
    """With authorization_code: the same as in the authorization request."""
    code_verifier: SecretStr | None = None
    """With authorization_code: the verifier of the challenge, 43 to 128 characters."""
    refresh_token: str | None = None
    """With refresh_token: the latest one."""
    device_code: str | None = None
    """With the device grant: the device code."""
    scope: str | None = None
    """Ignored: tokens have the scopes that the person allowed."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""


class TokenAnswer(OAuthAnswer):
    """Tokens (RFC 6749, section 5.1)."""

    access_token: str
    """The access token, `svc_oat_…`. Send it as a bearer token."""
    token_type: str
    """`Bearer`."""
    expires_in: int
    """The lifetime of the access token, in seconds."""
    refresh_token: str | None = None
    """Exchange it once for the next tokens; each response contains a new one. `svc_ort_…`. The console gets none."""
    scope: str
    """What the person allowed: `api` or `api manage`."""


class RevocationForm(Form):
    """A revocation (RFC 7009, section 2.1). Revoking a refresh token revokes every token of its login."""

    token: str | None = None
    """The access or refresh token."""
    token_type_hint: str | None = None
    """Ignored: the token shows its type."""
    client_id: str | None = None
    """The client, unless it is sent by HTTP Basic."""
    client_secret: SecretStr | None = None
    """The client's secret, if it has one and does not send it by HTTP Basic."""


class Revoked(OAuthAnswer):
    """An empty response: the token is not valid, or never was."""


class Grant(Answer):
    """A program's access (grant): what a person allowed it, until it or someone else ends it."""

    id: str
    client_id: str
    client_name: str
    """The program, as it named itself."""
    user_id: str
    """The member who allowed it. The program acts as this member."""
    user_name: str
    scopes: list[Scope]
    created_at: Milliseconds
    refreshed_at: Milliseconds
    """When the program last got tokens. It gets new ones every hour while it's in use."""
    valid_until: Milliseconds
    """When the access expires. Each refresh extends it."""


class GrantOfMine(Answer):
    """One of your programs' access (grant)."""

    id: str
    client_id: str
    client_name: str
    """The program, as it named itself."""
    organization_id: str | None
    """The organization that you chose when you allowed the program. Null if you chose none yet."""
    organization_name: str | None
    scopes: list[Scope]
    created_at: Milliseconds
    refreshed_at: Milliseconds
    """When the program last got tokens. It gets new ones every hour while it's in use."""
    valid_until: Milliseconds
    """When the access expires. Each refresh extends it."""
    current: bool
    """Whether the access token of this request belongs to it."""


class GrantsQuery(PageQuery):
    """The parameters of GET /grants."""


class GrantsAnswer(Answer):
    """GET /grants, newest first."""

    grants: list[Grant]
    """Can be fewer than `limit` while there is a `nextCursor`."""
    next_cursor: str | None


class GrantsOfMineAnswer(Answer):
    """GET /me/grants, newest first: up to 100."""

    grants: list[GrantOfMine]


class DeviceForm(Form):
    """The start of a device login (RFC 8628, section 3.1)."""

    client_id: str | None = None
    """The client, unless it is sent by HTTP Basic."""
    client_secret: SecretStr | None = None
    """The client's secret, if it has one and does not send it by HTTP Basic."""
    scope: str | None = None
    """`api`, the default, or `api manage`. Other names are ignored."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""


class DeviceAnswer(OAuthAnswer):
    """The codes that the device shows and polls with (RFC 8628, section 3.2)."""

    device_code: str
    """The code with which the device polls for tokens. Do not show it."""
    user_code: str
    """The code that the person enters, such as WDJB-MJHT."""
    verification_uri: _Uri
    """The address that the person opens."""
    verification_uri_complete: _Uri
    """The same address with the code filled in, for a QR code or a link."""
    expires_in: int
    """Seconds until both codes expire."""
    interval: int
    """Seconds to wait between two polls."""


class ServerMetadata(OAuthAnswer):
    """The authorization server (RFC 8414, section 2)."""

    issuer: _Uri
    authorization_endpoint: _Uri
    token_endpoint: _Uri
    registration_endpoint: _Uri
    revocation_endpoint: _Uri
    device_authorization_endpoint: _Uri
    response_types_supported: list[str]
    response_modes_supported: list[str]
    grant_types_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    code_challenge_methods_supported: list[str]
    scopes_supported: list[str]
    authorization_response_iss_parameter_supported: bool
    service_documentation: _Uri


class ResourceMetadata(OAuthAnswer):
    """This API as a protected resource (RFC 9728, section 2)."""

    resource: _Uri
    authorization_servers: list[str]
    bearer_methods_supported: list[str]
    scopes_supported: list[str]
    resource_name: str
    resource_documentation: _Uri


class SignInForm(Form):
    """The address that a person signs in with."""

    csrf: str = ""
    then: str = ""
    """The page to continue with after sign-in."""
    email: str = ""


class CodeForm(Form):
    """The one-time code from the mail."""

    csrf: str = ""
    then: str = ""
    sign_in: str = ""
    code: str = ""


class SignOutForm(Form):
    """A request to sign out."""

    csrf: str = ""
    then: str = ""


class ConsentQuery(Query):
    """The request that the consent page shows."""

    request: str = ""
    """The handle of the authorization request."""


class ConsentForm(Form):
    """The person's decision on a program's request."""

    csrf: str = ""
    request: str = ""
    organization: str = ""
    """The organization in which the program may act; empty for none."""
    decision: str = ""
    """`allow`; any other value refuses."""


class UserCodeQuery(Query):
    """The user code, if the link contains it."""

    model_config = _AS_SPELLED

    user_code: str = ""
    """The user code to fill in, such as WDJB-MJHT."""


class UserCodeForm(Form):
    """The code that a device shows."""

    csrf: str = ""
    user_code: str = ""


class JoinForm(Form):
    """A request to accept an invitation."""

    csrf: str = ""
