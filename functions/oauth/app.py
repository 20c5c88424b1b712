"""/v1/oauth and /v1/.well-known: the OAuth server, its pages, and the page of an invitation."""

from typing import Any

from helpdesk.accounts.invites.errors import InviteNotFound
from helpdesk.accounts.oauth import device, metadata, registration, tokens, web
from helpdesk.accounts.oauth.errors import (
    AccessDenied,
    AuthorizationPending,
    CsrfError,
    ExpiredToken,
    InvalidAuthorizationRequest,
    InvalidClient,
    InvalidClientMetadata,
    InvalidGrant,
    InvalidOAuthRequest,
    InvalidRedirectUri,
    InvalidTarget,
    MailUnavailable,
    RequestExpired,
    ServerError,
    SlowDown,
    TooManyAttempts,
    TooManyCodes,
    TooManyRequests,
    UnauthorizedClient,
    UnsupportedGrantType,
    as_oauth,
    as_registration,
)
from helpdesk.accounts.oauth.pages import refusal
from helpdesk.accounts.oauth.schemas import (
    AuthorizeQuery,
    ClientRegistration,
    CodeForm,
    ConsentForm,
    ConsentQuery,
    DeviceAnswer,
    DeviceForm,
    JoinForm,
    RegisteredClient,
    ResourceMetadata,
    RevocationForm,
    Revoked,
    ServerMetadata,
    SignInForm,
    SignOutForm,
    TokenAnswer,
    TokenForm,
    UserCodeForm,
    UserCodeQuery,
)
from helpdesk.accounts.people.errors import AlreadyAMember, TooManyOrganizations
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access
from helpdesk.api.http.content import BaseUrl, ClientInfo, HtmlPage, SeeOther
from helpdesk.api.routing.api import Api
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "MAIL_FROM", "MAIL_CONFIGURATION_SET", "SIGN_UP", "CODES_PER_HOUR")

api = Api()

# Any page may read where to log in; an hour, since it changes with a deployment only.
_PUBLISHED = {"cache-control": "public, max-age=3600", "access-control-allow-origin": "*"}
_METADATA: dict[str, Any] = {"access": Access.PUBLIC, "limit": AddressLimit.STATIC, "headers": _PUBLISHED}
_UNSTORED: dict[str, Any] = {
    "access": Access.PUBLIC,
    "limit": AddressLimit.TOKENS,
    "refusal": as_oauth,
    "headers": {"cache-control": "no-store", "pragma": "no-cache"},
}
_PAGE: dict[str, Any] = {"access": Access.PUBLIC, "limit": AddressLimit.PAGES, "refusal": refusal}


@api.get("/v1/.well-known/oauth-authorization-server", **_METADATA)
def get_authorization_server(base_url: BaseUrl) -> ServerMetadata:
    """Return the authorization server's metadata (RFC 8414)."""
    return metadata.server(base_url)


@api.get("/v1/.well-known/openid-configuration", **_METADATA)
def get_openid_configuration(base_url: BaseUrl) -> ServerMetadata:
    """Return the same metadata at the path that some clients append to the issuer."""
    return metadata.server(base_url)


@api.get("/v1/.well-known/oauth-protected-resource", **_METADATA)
def get_protected_resource(base_url: BaseUrl) -> ResourceMetadata:
    """Return the protected resource metadata of the API (RFC 9728)."""
    return metadata.resource(base_url)


@api.post(
    "/v1/oauth/register",
    status=201,
    errors=(InvalidRedirectUri, InvalidClientMetadata, TooManyRequests),
    **{**_UNSTORED, "limit": AddressLimit.OWN, "refusal": as_registration},
)
def register_client(client_info: ClientInfo, wanted: ClientRegistration) -> RegisteredClient:
    """Register a client (RFC 7591). Anyone can register, and registration proves no identity."""
    return registration.register(wanted, client_info.address)


@api.get("/v1/oauth/authorize", errors=(InvalidAuthorizationRequest,), **_PAGE)
def authorize(client_info: ClientInfo, query: AuthorizeQuery, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Start a login in a browser. Leads to sign-in and approval.

    An invalid request shows a page that names the error. It never redirects. Only a person who has signed in and seen
    the program returns to it. The service's own console asks for no approval, and can ask for no page at all.
    """
    return web.authorize(client_info, query, base_url)


@api.post(
    "/v1/oauth/token",
    errors=(
        InvalidOAuthRequest,
        InvalidClient,
        InvalidGrant,
        UnauthorizedClient,
        UnsupportedGrantType,
        InvalidTarget,
        AuthorizationPending,
        SlowDown,
        AccessDenied,
        ExpiredToken,
        ServerError,
    ),
    **_UNSTORED,
)
def issue_tokens(client_info: ClientInfo, form: TokenForm, base_url: BaseUrl) -> TokenAnswer:
    """Exchange a code, a refresh token or a device code for tokens."""
    return tokens.issue(form, client_info.headers.get("authorization", ""), base_url)


@api.post("/v1/oauth/revoke", errors=(InvalidOAuthRequest, InvalidClient, ServerError), **_UNSTORED)
def revoke_token(client_info: ClientInfo, form: RevocationForm) -> Revoked:
    """Revoke a token (RFC 7009). An unknown token returns the same response."""
    tokens.revoke(form, client_info.headers.get("authorization", ""))
    return Revoked()


@api.post(
    "/v1/oauth/device_authorization",
    errors=(
        InvalidOAuthRequest,
        InvalidClient,
        UnauthorizedClient,
        InvalidTarget,
        TooManyRequests,
        ServerError,
    ),
    **{**_UNSTORED, "limit": AddressLimit.OWN},
)
def authorize_device(client_info: ClientInfo, form: DeviceForm, base_url: BaseUrl) -> DeviceAnswer:
    """Start a login on a device without a browser (RFC 8628)."""
    return device.begin(form, client_info.headers.get("authorization", ""), client_info.address, base_url)


@api.get("/v1/oauth/device", **_PAGE)
def show_user_code(client_info: ClientInfo, query: UserCodeQuery, base_url: BaseUrl) -> HtmlPage:
    """Show the page where a person enters a device's code."""
    return web.show_user_code(client_info, query.user_code, base_url)


@api.post("/v1/oauth/device", errors=(CsrfError, TooManyAttempts), **_PAGE)
def take_user_code(client_info: ClientInfo, form: UserCodeForm, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Submit a device's code (page form). Leads to the approval page."""
    return web.take_user_code(client_info, form, base_url)


@api.get("/v1/oauth/consent", errors=(RequestExpired,), **_PAGE)
def show_consent(client_info: ClientInfo, query: ConsentQuery, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Show the page for sign-in and approval. The console needs no approval, so this leads back to it."""
    return web.show_consent(client_info, query.request, base_url)


@api.post("/v1/oauth/consent", errors=(CsrfError, RequestExpired), **_PAGE)
def answer_consent(client_info: ClientInfo, form: ConsentForm, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Approve or deny a program (page form). Redirects to the program, with `code`, `state` and `iss`."""
    return web.answer_consent(client_info, form, base_url)


@api.post("/v1/oauth/sign-in", errors=(CsrfError, TooManyAttempts, TooManyCodes, MailUnavailable), **_PAGE)
def request_code(client_info: ClientInfo, form: SignInForm, base_url: BaseUrl) -> HtmlPage:
    """Send a one-time code to an e-mail address (page form)."""
    return web.take_email(client_info, form, base_url)


@api.post("/v1/oauth/code", errors=(CsrfError,), **_PAGE)
def sign_in(client_info: ClientInfo, form: CodeForm, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Sign in with the one-time code (page form)."""
    return web.take_code(client_info, form, base_url)


@api.post("/v1/oauth/sign-out", errors=(CsrfError,), **_PAGE)
def sign_out(client_info: ClientInfo, form: SignOutForm, base_url: BaseUrl) -> HtmlPage | SeeOther:
    """Sign out of the pages. The console sends `then=console`."""
    return web.sign_out(client_info, form, base_url)


@api.get("/v1/invite/<token>", errors=(InviteNotFound,), **_PAGE)
def show_invite(client_info: ClientInfo, token: str, base_url: BaseUrl) -> HtmlPage:
    """Show an invitation to anyone who has its link."""
    return web.show_invite(client_info, token, base_url)


@api.post(
    "/v1/invite/<token>",
    errors=(CsrfError, InviteNotFound, AlreadyAMember, TooManyOrganizations),
    **_PAGE,
)
def join_organization(client_info: ClientInfo, token: str, form: JoinForm, base_url: BaseUrl) -> HtmlPage:
    """Accept an invitation (page form)."""
    return web.join(client_info, token, form.csrf, base_url)


handler = api.handler
