"""Linear, as far as the tracker asks it: workspaces with teams, states and issues; OAuth with PKCE; hooks.

What is asked is checked and executed against Linear's own schema (linear.graphql), so neither a query nor a response
has a form that Linear does not have.
"""

import base64
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from graphql import graphql_sync

from scripts.services.server import Asked, Said
from scripts.services.tracker_graphql import Root, error, schema
from scripts.services.workspaces import DEFAULT, Team, Workspace

__all__ = ["Workspace", "schema"]  # and everything below

HOOK_SECRET = "lin_wh_a secret that Linear and the app share"
CLIENT_SECRET = "a client secret"
TOKEN_SECONDS = 86_399
_CLIENT_ID = "0a1b2c3d4e5f"


def credentials() -> dict[str, str]:
    """Return what an operator enters with `scripts.admin set-app tracker`."""
    return {"client_id": _CLIENT_ID, "client_secret": CLIENT_SECRET, "hook_secret": HOOK_SECRET}


class Tracker:
    """Linear. Tests change its state; `hook`, `moved` and `removed` return what it would send."""

    hosts = frozenset({"api.linear.app", "linear.app"})

    def __init__(self) -> None:
        self.workspaces: dict[str, Workspace] = {}
        self.codes: dict[str, tuple[str, str | None]] = {}
        self.tokens: dict[str, str] = {}
        self.refresh: dict[str, str] = {}
        self.scopes = "read write"
        self.refuses: dict[str, str] = {}
        self.clock: Callable[[], float] = time.time
        self._number = 0

    def _next(self) -> int:
        self._number += 1
        return self._number

    def workspace(self, name: str) -> Workspace:
        """Make a workspace with one team."""
        made = Workspace(str(uuid.uuid4()), name, str(uuid.uuid4()))
        made.team("ENG", "Engineering")
        self.workspaces[made.id] = made
        return made

    def code_for(self, workspace: Workspace, challenge: str | None = None) -> str:
        """Return the code that Linear gives to a person who allowed the app, for a PKCE challenge."""
        code = f"code-{self._next()}"
        self.codes[code] = (workspace.id, challenge)
        return code

    def tokens_for(self, workspace: Workspace) -> dict[str, str]:
        """Return an access token and a refresh token of a workspace."""
        access, refresh = f"lin_oauth_{self._next()}", f"lin_refresh_{self._next()}"
        self.tokens[access] = self.refresh[refresh] = workspace.id
        return {"access": access, "refresh": refresh}

    def is_allowed(self, workspace: Workspace) -> bool:
        """Return whether the app may work in a workspace."""
        return workspace.id in self.refresh.values()

    def revoke(self, workspace: Workspace) -> None:
        """Remove the app from a workspace."""
        for kept in (self.tokens, self.refresh):
            for token in [token for token, of in kept.items() if of == workspace.id]:
                del kept[token]

    # ----------------------------------------------------------------------------------------- what people do there

    def add(
        self, workspace: Workspace, title: str, team: str = "ENG", state: str = DEFAULT
    ) -> dict[str, Any]:
        """Open an issue as a person does."""
        found = next(each for each in workspace.teams.values() if each.key == team)
        return workspace.put(found, str(uuid.uuid4()), {"title": title}, found.states[state], self._now())

    def move(self, workspace: Workspace, identifier: str, state: str) -> tuple[dict[str, str], str]:
        """Move an issue as a person does; return what Linear sends."""
        issue = workspace.issue(identifier)
        before = {"stateId": issue["state"]["id"], "updatedAt": issue["updatedAt"]}
        issue["state"] = workspace.teams[issue["team"]["id"]].states[state]
        issue["updatedAt"] = self._now()
        return self.changed(workspace, issue, before)

    def transfer(self, workspace: Workspace, identifier: str, team: Team) -> tuple[dict[str, str], str]:
        """Move an issue to another team, where it gets another identifier; return what Linear sends."""
        issue = workspace.issue(identifier)
        before = {"teamId": issue["team"]["id"], "number": issue["number"]}
        state = team.states[issue["state"]["name"]]
        issue |= {
            "team": team.shape(),
            "state": state,
            "updatedAt": self._now(),
            **workspace.named(team),
        }
        return self.changed(workspace, issue, before)

    def delete(self, workspace: Workspace, identifier: str) -> tuple[dict[str, str], str]:
        """Delete an issue as a person does; return what Linear sends."""
        issue = workspace.issue(identifier)
        issue |= {"trashed": True, "updatedAt": self._now()}
        return self._issue_hook(workspace, issue, "remove", {})

    def changed(
        self, workspace: Workspace, issue: Mapping[str, Any], before: Mapping[str, Any]
    ) -> tuple[dict[str, str], str]:
        """Return what Linear sends about an issue that was changed."""
        return self._issue_hook(workspace, issue, "update", before)

    def revoked(self, workspace: Workspace) -> tuple[dict[str, str], str]:
        """Return what Linear sends when the app is removed from a workspace."""
        return self.hook(
            {
                "action": "revoked",
                "createdAt": self._now(),
                "type": "OAuthApp",
                "oauthClientId": str(uuid.uuid4()),
                "organizationId": workspace.id,
                "webhookId": str(uuid.uuid4()),
                "webhookTimestamp": round(self.clock() * 1_000),
            },
        )

    def hook(
        self, payload: Any, *, body: str = "", delivery: str = "", secret: str = HOOK_SECRET
    ) -> tuple[dict[str, str], str]:
        """Return the headers and the body with which Linear sends an event."""
        body = body or json.dumps(payload)
        signature = hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()
        return {
            "content-type": "application/json; charset=utf-8",
            "linear-delivery": delivery or str(uuid.uuid4()),
            "linear-event": payload.get("type", "") if isinstance(payload, dict) else "",
            "linear-signature": signature,
            "user-agent": "Linear-Webhook",
        }, body

    def _issue_hook(
        self, workspace: Workspace, issue: Mapping[str, Any], action: str, before: Mapping[str, Any]
    ) -> tuple[dict[str, str], str]:
        state, team = issue["state"], workspace.teams[issue["team"]["id"]]
        data = {
            **{name: issue[name] for name in _PLAIN},
            "trashed": issue["trashed"],
            "stateId": state["id"],
            "state": {"color": "#e2e2e2", **{name: state[name] for name in ("id", "name", "type")}},
            "teamId": team.id,
            "team": {"id": team.id, "key": team.key, "name": team.name},
            "labelIds": [],
            "labels": [],
            "previousIdentifiers": [],
            "priorityLabel": "No priority",
            "prioritySortOrder": 0,
            "reactionData": {},
            "sortOrder": 0,
            "subscriberIds": [],
        }
        return self.hook(
            {
                "action": action,
                "type": "Issue",
                "createdAt": self._now(),
                "organizationId": workspace.id,
                "url": issue["url"],
                "data": data,
                "updatedFrom": dict(before),
                "actor": {
                    "id": str(uuid.uuid4()),
                    "type": "user",
                    "name": "Lin",
                    "email": "lin@example.com",
                    "url": "https://linear.app/acme/profiles/lin",
                },
                "webhookId": str(uuid.uuid4()),
                "webhookTimestamp": round(self.clock() * 1_000),
            }
        )

    # ---------------------------------------------------------------------------------------------- what it answers

    def answer(self, asked: Asked) -> Said:
        """Answer a request."""
        match asked.method, asked.path:
            case "POST", "/oauth/token":
                return self._token(
                    {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
                )
            case "POST", "/oauth/revoke":
                return self._revoke(asked)
            case "POST", "/graphql":
                return self._graphql(asked)
        return Said(404, {"error": "Not found"})

    def _token(self, sent: Mapping[str, str]) -> Said:
        if (sent.get("client_id"), sent.get("client_secret")) != (_CLIENT_ID, CLIENT_SECRET):
            return Said(401, {"error": "invalid_client", "error_description": "Invalid client credentials"})
        if sent["grant_type"] == "refresh_token":
            of = self.refresh.pop(sent["refresh_token"], None)
        else:
            of, challenge = self.codes.pop(sent["code"], (None, None))
            digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
            if challenge not in {None, base64.urlsafe_b64encode(digest).decode().rstrip("=")}:
                of = None
        if of is None:
            return Said(400, {"error": "invalid_grant", "error_description": "Token expired or revoked."})
        given = self.tokens_for(self.workspaces[of])
        return Said(
            200,
            {
                "access_token": given["access"],
                "refresh_token": given["refresh"],
                "token_type": "Bearer",
                "expires_in": TOKEN_SECONDS,
                "scope": self.scopes,
            },
        )

    def _revoke(self, asked: Asked) -> Said:
        of = self.tokens.get(asked.bearer)
        if of is None:
            return Said(401, {"error": "invalid_token"})
        self.revoke(self.workspaces[of])
        return Said(200, {"success": True})

    def _graphql(self, asked: Asked) -> Said:
        of = self.tokens.get(asked.bearer)
        if of is None:
            refusal = error("Authentication required, not authenticated", "authentication error")
            return Said(401, {"errors": [refusal.formatted]})
        sent = asked.json
        done = graphql_sync(
            schema(),
            sent["query"],
            Root(self.workspaces[of], self.refuses, self._now),
            variable_values=sent["variables"],
        )
        return Said(200 if done.data is not None else 400, dict(done.formatted))

    def _now(self) -> str:
        at = datetime.fromtimestamp(self.clock(), UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_PLAIN = (
    *("id", "identifier", "number", "title", "description", "priority", "url"),
    *("createdAt", "updatedAt", "archivedAt"),
)
