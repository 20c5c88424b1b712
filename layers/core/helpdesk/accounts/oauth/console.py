"""The console as a client: the service's own, which people use by signing in, without a page that asks for approval.

It is not registered, and codes lead to its one address alone. It gets access tokens and no refresh tokens: when one
ends, the browser's session gives it the next. A page of another origin can't start its sign-in, so a code always
answers a request that the console made.
"""

from helpdesk.accounts.oauth.record import CODE_GRANT, NO_SECRET, OAuthClient
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.http.content import ClientInfo

CLIENT = OAuthClient(
    id="console",
    name="Console",
    redirect_uris=[],
    auth_method=NO_SECRET,
    grant_types=[CODE_GRANT],
    created_at=0,
)
"""The client. Its redirect address depends on the deployment's own: see `redirect_uri`."""


def address(base_url: str) -> str:
    """Return the address of the console."""
    return f"{base_url}/console/"


def redirect_uri(base_url: str) -> str:
    """Return the only address to which its codes go."""
    return f"{base_url}/console/callback"


def is_asked_from_elsewhere(client_info: ClientInfo) -> bool:
    """Return whether the browser says that a sign-in to the console begins on another page than the console's.

    Older browsers don't say. PKCE and the one redirect address hold there as well: this is a second lock.
    """
    return client_info.headers.get("sec-fetch-site") not in {None, "same-origin"}


def organization_for(person: PersonRecord, browser: Browser, wanted: str | None) -> str | None:
    """Return the organization to act in; None if the person has none, or doesn't belong to the one they ask for.

    Unless they ask for one, it's the one that this browser's console was in last, else the one that they joined last.
    """
    if wanted is not None:
        return wanted if wanted in person.organizations else None
    if browser.organization in person.organizations:
        return browser.organization
    return max(person.organizations, key=lambda each: person.organizations[each].joined_at, default=None)
