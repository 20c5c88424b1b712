"""What the routes that people call with tokens ask of DynamoDB: accounts, and routes beyond a single webhook."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.api import Answer, Client
from tests.support.people import grant_of, issue_token, make_person, token_of

# Steps of a login or of an invitation's page, which work only in sequence. tests/integration/oauth counts their calls,
# and names those of exchanging a code and renewing a token. tests/integration/integrations counts what a service sends.
STEPS = re.compile(
    r"/v1/(oauth/(authorize|code|consent|device|revoke|sign-in|sign-out|token)|invite/<token>"
    r"|connect/<app>(/callback)?|hooks/<app>)"
)


type Asked = tuple[str, tuple[str, str], Callable[[], Answer]]


def requests(organization: str) -> Iterator[Asked]:
    """Yield what is shown, the route and the request, in an order in which each finds what it needs."""
    owner = Client(issue_token(organization, role="owner", name="Olga"))

    def by(
        client: Client, method: str, url: str, body: Any = None, route: str = "", shown: str = ""
    ) -> Asked:
        path = route or url.partition("?")[0]
        who = ", a person" if client.credential else ""
        return (
            f"{shown or f'{method} {path}'}{who}",
            (method, path),
            lambda: client.request(method, url, body),
        )

    owner.get("/v1/billing/limits")
    for name in ("oauth-authorization-server", "oauth-protected-resource", "openid-configuration"):
        yield by(Client(), "GET", f"/v1/.well-known/{name}")
    client = {"redirect_uris": ["https://app.example.com/back"], "token_endpoint_auth_method": "none"}
    yield by(Client(), "POST", "/v1/oauth/register", client)
    yield _device_login()

    for path, change in (("/v1/me", {"name": "Olga Owner"}), ("/v1/me/notifications", {"mail": []})):
        yield by(owner, "GET", path)
        yield by(owner, "PATCH", path, change)
    yield from _of_reading(owner, by)
    yield by(owner, "GET", "/v1/keys")
    key = str(owner.post("/v1/keys", {"name": "Second"}).body["id"])
    yield by(owner, "POST", "/v1/keys", {"name": "Third"})
    yield by(owner, "DELETE", f"/v1/keys/{key}", route="/v1/keys/<key_id>")

    pia = make_person(organization, role="member", name="Pia")
    yield from _of_programs(organization, owner, pia, by)

    max_id = make_person(organization, role="member", name="Max")
    yield by(owner, "GET", "/v1/members")
    one = "/v1/members/<user_id>"
    yield by(owner, "PATCH", f"/v1/members/{max_id}", {"role": "admin"}, route=one)
    yield by(Client(token_of(max_id, organization)), "DELETE", "/v1/me/organization")
    leo = make_person(organization, role="member", name="Leo")
    yield by(owner, "DELETE", f"/v1/members/{leo}", route=one)

    yield from _of_teams(owner, pia, by)

    yield by(owner, "POST", "/v1/invites", {"email": "eve@example.com", "role": "member"})
    guest = Client(token_of(make_person(None, role="member", name="Guest", email="guest@example.com"), None))
    known = {"email": "guest@example.com", "role": "member"}
    yield by(owner, "POST", "/v1/invites", known, shown="POST /v1/invites to someone known")
    withdrawn = str(owner.get("/v1/invites").body["invites"][0]["id"])
    owner.delete(f"/v1/invites/{withdrawn}")
    invite = owner.post("/v1/invites", known).body
    yield by(owner, "GET", "/v1/invites")
    one = "/v1/invites/<invite_id>"
    yield by(owner, "POST", f"/v1/invites/{invite['id']}/resend", route=f"{one}/resend")
    yield by(guest, "POST", "/v1/invites/accept", {"token": invite["path"].rpartition("/")[2]})
    other = owner.post("/v1/invites", {"email": "other@example.com", "role": "member"}).body["id"]
    yield by(owner, "DELETE", f"/v1/invites/{other}", route=one)

    webhook = {"url": "https://93.184.215.14/people", "events": ["message.created"]}
    yield by(owner, "POST", "/v1/webhooks", webhook)

    yield by(owner, "GET", "/v1/organization")
    yield by(owner, "PATCH", "/v1/organization", {"taskKeyPrefix": "SUP"})
    hours = {"timeZone": "Europe/Berlin"}
    for path, sent in (("hours", hours), ("targets", {"firstResponseMinutes": 60})):
        yield by(owner, "GET", f"/v1/organization/{path}")
        yield by(owner, "PATCH", f"/v1/organization/{path}", sent)
    yield by(owner, "POST", "/v1/billing/branding", {"showBranding": False})
    yield by(guest, "POST", "/v1/organizations", {"name": "Second", "slug": "second-of-guest"})
    yield by(guest, "POST", "/v1/me/organization", {"organizationId": organization})


def _of_reading(owner: Client, by: Callable[..., Asked]) -> Iterator[Asked]:
    one = "/v1/conversations/<conversation_id>"
    listed = owner.get("/v1/conversations?limit=1").body["conversations"][0]
    at, newest = f"/v1/conversations/{listed['id']}", {"messageId": listed["lastMessageId"]}
    yield by(owner, "PUT", f"{at}/read", newest, route=f"{one}/read")
    yield by(owner, "GET", "/v1/conversations")
    yield by(owner, "GET", at, route=one)


def _of_programs(
    organization: str, owner: Client, member_id: str, by: Callable[..., Asked]
) -> Iterator[Asked]:
    member = Client(token_of(member_id, organization))
    mine, another = grant_of(member_id, organization), grant_of(member_id, organization)
    yield by(member, "GET", "/v1/me/grants")
    yield by(owner, "GET", "/v1/grants")
    one = "grants/<grant_id>"
    yield by(member, "DELETE", f"/v1/me/grants/{mine}", route=f"/v1/me/{one}")
    yield by(owner, "DELETE", f"/v1/grants/{another}", route=f"/v1/{one}")


def _of_teams(owner: Client, member_id: str, by: Callable[..., Asked]) -> Iterator[Asked]:
    yield by(owner, "POST", "/v1/teams", {"name": "Accounts", "memberIds": [member_id]})
    team, one = owner.get("/v1/teams").body["teams"][0]["id"], "/v1/teams/<team_id>"
    yield by(owner, "GET", "/v1/teams")
    yield by(owner, "PATCH", f"/v1/teams/{team}", {"name": "Invoices"}, route=one)
    yield by(owner, "DELETE", f"/v1/teams/{team}", route=one)


def _device_login() -> Asked:
    device = "urn:ietf:params:oauth:grant-type:device_code"
    client = {"client_name": "CLI", "token_endpoint_auth_method": "none", "grant_types": [device]}
    registered = Client().post("/v1/oauth/register", client).body["client_id"]
    path = "/v1/oauth/device_authorization"
    form = {"content-type": "application/x-www-form-urlencoded"}
    body = f"client_id={registered}"
    return f"POST {path}", ("POST", path), lambda: Client(headers=form).request("POST", path, body)
