"""What goes in and out of OAuth's routes, named as the RFCs name it."""

from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, SecretStr

from helpdesk.http.schemas import Answer, Body, Form, Query, schema_hint

_AS_SPELLED = ConfigDict(alias_generator=None)

_Uri = Annotated[str, schema_hint(format="uri")]


class OAuthAnswer(Answer):
    """An answer as the RFCs have it: what does not apply is left out."""

    model_config = _AS_SPELLED
    omits_null: ClassVar[bool] = True


class ClientRegistration(Body):
    """A client's metadata (RFC 7591, section 2). Other fields are ignored."""

    model_config = _AS_SPELLED

    redirect_uris: list[str] | None = None
    """Where codes may be sent, to the letter: https, http on loopback (with any port at use), or a scheme of the
    client's own with a dot. At least one for the grant type authorization_code, and at most ten."""
    client_name: str | None = None
    """What people are told the program is called; cut to 80 characters."""
    client_uri: str | None = None
    """The program's home page."""
    token_endpoint_auth_method: str | None = None
    """How the client proves who it is: none, client_secret_basic (the default) or client_secret_post."""
    grant_types: list[str] | None = None
    """authorization_code (the default), refresh_token, urn:ietf:params:oauth:grant-type:device_code."""
    response_types: list[str] | None = None
    """code, and no other."""
    scope: str | None = None
    """Ignored: a token may do what its person may."""


class RegisteredClient(OAuthAnswer):
    """The client as registered. Keep the secret, where there is one: it is told here alone."""

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
    """0: never. With a secret alone."""


class AuthorizeQuery(Query):
    """The parameters of an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707). Others are ignored."""

    model_config = _AS_SPELLED

    client_id: str | None = None
    """The registered client."""
    redirect_uri: str | None = None
    """One of the client's redirect addresses; may be left out where it registered just one."""
    response_type: str | None = None
    """`code`."""
    state: str | None = None
    """Comes back with the answer, unchanged; up to 2,000 characters."""
    code_challenge: str | None = None
    """The base64url SHA-256 of the code verifier, 43 characters."""
    code_challenge_method: str | None = None
    """`S256`."""
    scope: str | None = None
    """Ignored: there is one scope, `api`."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""


class TokenForm(Form):
    """A token request (RFC 6749, 4.1.3 and 6; RFC 8628, 3.4). Others are ignored."""

    grant_type: str | None = None
    """authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code."""
    client_id: str | None = None
    """The client, unless it says so by HTTP Basic."""
    client_secret: SecretStr | None = None
    """Its secret, where it has one and does not send it by HTTP Basic."""
    code: str | None = None
    """With authorization_code: the code."""
    redirect_uri: str | None = None
    """With authorization_code: the same as in the authorization request."""
    code_verifier: SecretStr | None = None
    """With authorization_code: what the challenge was made of, 43 to 128 characters."""
    refresh_token: str | None = None
    """With refresh_token: the latest one."""
    device_code: str | None = None
    """With the device grant: the device code."""
    scope: str | None = None
    """Ignored: there is one scope, `api`."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""


class TokenAnswer(OAuthAnswer):
    """Tokens (RFC 6749, section 5.1)."""

    access_token: str
    """Send it as a bearer token; `svc_oat_…`."""
    token_type: str
    """`Bearer`."""
    expires_in: int
    """Seconds for which the access token works."""
    refresh_token: str
    """Gets the next tokens, once; each answer brings another. `svc_ort_…`."""
    scope: str
    """`api`."""


class RevocationForm(Form):
    """A revocation (RFC 7009, section 2.1). A refresh token takes every token of its login along."""

    token: str | None = None
    """The access or refresh token."""
    token_type_hint: str | None = None
    """Ignored: a token tells of what kind it is."""
    client_id: str | None = None
    """The client, unless it says so by HTTP Basic."""
    client_secret: SecretStr | None = None
    """Its secret, where it has one and does not send it by HTTP Basic."""


class Revoked(OAuthAnswer):
    """Nothing: the token does not work any more, or never did."""


class DeviceForm(Form):
    """The beginning of a device's login (RFC 8628, section 3.1)."""

    client_id: str | None = None
    """The client, unless it says so by HTTP Basic."""
    client_secret: SecretStr | None = None
    """Its secret, where it has one and does not send it by HTTP Basic."""
    scope: str | None = None
    """Ignored: there is one scope, `api`."""
    resource: list[str] = Field(default_factory=list)
    """The address of this API, or one below it."""


class DeviceAnswer(OAuthAnswer):
    """What the device shows and asks with (RFC 8628, section 3.2)."""

    device_code: str
    """What the device asks for tokens with; nobody is shown it."""
    user_code: str
    """What the person types in, such as WDJB-MJHT."""
    verification_uri: _Uri
    """Where the person goes."""
    verification_uri_complete: _Uri
    """The same with the code filled in, for a QR code or a link."""
    expires_in: int
    """Seconds until both codes are over."""
    interval: int
    """Seconds to wait between two token requests."""


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
    """Where signing in leads."""
    email: str = ""


class CodeForm(Form):
    """The one-time code that came by mail."""

    csrf: str = ""
    then: str = ""
    sign_in: str = ""
    code: str = ""


class SignOutForm(Form):
    """The wish to sign in as somebody else, or no more."""

    csrf: str = ""
    then: str = ""


class ConsentQuery(Query):
    """Which request is to be approved."""

    request: str = ""
    """The handle that the authorization request was given."""


class ConsentForm(Form):
    """The person's answer to a program's request."""

    csrf: str = ""
    request: str = ""
    organization: str = ""
    """The organization that the program may act in; empty for none."""
    decision: str = ""
    """`allow`; anything else is no."""


class UserCodeQuery(Query):
    """The code that a device shows, where a link has it."""

    model_config = _AS_SPELLED

    user_code: str = ""
    """Fills in the code, such as WDJB-MJHT."""


class UserCodeForm(Form):
    """The code that a device shows."""

    csrf: str = ""
    user_code: str = ""


class JoinForm(Form):
    """The wish to accept an invitation."""

    csrf: str = ""
