"""Why sign-ins are refused, in words that say what to change (Specification: Sign-in settings, problem)."""

from helpdesk.platform import clock
from helpdesk.platform.text import one_line
from helpdesk.platform.units import MINUTE_MS
from helpdesk.site.sign_in import repository
from helpdesk.site.sign_in.errors import Refused
from helpdesk.site.visitors.record import Problem, SiteSignIn

MAX_CODE_CHARACTERS = 80
MAX_DETAIL_CHARACTERS = 500
REPEATED_MS = MINUTE_MS
"""A problem that is noted is not noted again for this time: everyone whose sign-in fails would write it."""
ANOTHER_MS = 5_000
"""For this time no other problem replaces it: a stranger could bring codes by turns, and write with each request."""

_MESSAGES = {
    # Codes of providers: RFC 6749, sections 4.1.2.1 and 5.2.
    "invalid_client": "The provider rejected the client's credentials. Copy `clientId` and `clientSecret` from the "
    "provider again and save them. The secret may have expired.",
    "unauthorized_client": "The provider doesn't allow this client to use the code flow. Allow the grant "
    "authorization_code at the provider.",
    "invalid_grant": "The provider rejected its own code. Register exactly the `oidcRedirectUri` at the provider.",
    "invalid_request": "The provider rejected the request. Register exactly the `oidcRedirectUri` at the provider, and "
    "allow PKCE with S256.",
    "invalid_scope": "The provider doesn't allow this client the scopes openid, email and profile. Allow them at the "
    "provider.",
    "unsupported_response_type": "The provider doesn't allow the code flow for this client. Allow it at the provider.",
    "unsupported_grant_type": "The provider doesn't offer the grant authorization_code. Choose another type of client "
    "at the provider.",
    "redirect_uri_mismatch": "Register exactly the `oidcRedirectUri` at the provider.",
    "server_error": "The provider failed. If the error persists, contact its operator.",
    "temporarily_unavailable": "The provider is overloaded. If the error persists, contact its operator.",
    # Ours, of a provider.
    "provider_unreachable": "The provider can't be reached. Check that it runs and is on the internet.",
    "invalid_response": "The provider's response doesn't follow OpenID Connect. Save the settings again. If the error "
    "persists, contact the provider.",
    "issuer_mismatch": "The response names a different issuer than the saved one. Set `oidc.issuer` exactly as the "
    "provider writes it.",
    "invalid_id_token": "The provider's ID token is invalid. Save the settings again, and check the provider's clock "
    "and signing keys.",
    # Ours, of the customer's app.
    "no_signing_key": "No secret key can sign sign-ins. Create a new secret key and sign with it in your app.",
    "invalid_token": "Your app's token was not made by the client library. Create it with `sign_in_address` or "
    "`signInAddress`.",
    "invalid_signature": "Your app signs with a key that is not a live key of your organization. Create a new secret "
    "key and use it in your app.",
    "invalid_audience": "Your app's token is for another organization. Use a key of this organization.",
    "token_expired": "Your app's token was older than 60 seconds when it arrived, or your app's clock is wrong.",
    "invalid_user": "Your app's token names no user. Set `id` to your own ID of the user, 1 to 200 characters.",
}
_ANY = "The provider refused the sign-in. See its message for the reason and its documentation for the code."


def note(seen: SiteSignIn, refused: Refused) -> None:
    """Note why a sign-in was refused. One call; none within a minute of the same problem, or seconds of another one."""
    now, known = clock.now_ms(), seen.problem
    code = one_line(refused.code, MAX_CODE_CHARACTERS) or "invalid_response"
    if known is not None and 0 <= now - known.at < (REPEATED_MS if known.code == code else ANOTHER_MS):
        return
    detail = one_line(refused.detail or "", MAX_DETAIL_CHARACTERS) or None
    repository.note_problem(seen, Problem(now, code, _MESSAGES.get(code, _ANY), detail))


def clear(seen: SiteSignIn) -> None:
    """Note that a sign-in works. No call where no problem is noted."""
    if seen.problem is not None:
        repository.note_problem(seen, None)
