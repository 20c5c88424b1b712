"""What the stand-in of GitHub answers about a person who connects an account."""

import base64
import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from scripts.services import codehost_shapes as shapes
from scripts.services.server import Asked, Said

if TYPE_CHECKING:
    from scripts.services.codehost import CodeHost

CLIENT_ID = "Iv1.0123456789abcdef"
CLIENT_SECRET = "a client secret"
_CHALLENGE_CHARACTERS = 43
NOT_FOUND = Said(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})


def leads_back(host: "CodeHost", query: Mapping[str, str], code: str) -> str:
    """Return where a person is led who authorized the App, and bind the code to the challenge and the address.

    Raises ValueError for an address with which GitHub shows an error.
    """
    if query["client_id"] != CLIENT_ID:
        raise ValueError(query["client_id"])
    if query["code_challenge_method"] != "S256" or len(query["code_challenge"]) != _CHALLENGE_CHARACTERS:
        raise ValueError(query["code_challenge_method"])
    host.challenges[code] = query["code_challenge"], query["redirect_uri"]
    return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"


def exchange(host: "CodeHost", asked: Asked) -> Said:
    """Exchange a code for a person's token."""
    sent = asked.json
    reached = host.codes.pop(sent["code"], None)
    bound = host.challenges.pop(sent["code"], ("", ""))
    digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=") if "code_verifier" in sent else ""
    is_bound = (challenge, sent.get("redirect_uri", "")) == bound
    if reached is None or not is_bound or sent["client_secret"] != CLIENT_SECRET:
        return Said(200, {"error": "bad_verification_code", "error_description": "The code is incorrect."})
    token = f"ghu_{host.next_number()}"
    host.person_tokens[token] = reached
    return Said(200, {"access_token": token, "token_type": "bearer", "scope": ""})


def installations(host: "CodeHost", asked: Asked) -> Said:
    """List the installations that a person can reach."""
    reached = host.person_tokens.get(asked.bearer)
    if reached is None:
        return Said(401, {"message": "Bad credentials"})
    listed = [each.shape() for each in reached.reaches if each.id in host.installations]
    size, page = int(asked.query["per_page"]), int(asked.query["page"])
    shown = listed[(page - 1) * size : page * size]
    return Said(200, {"total_count": len(listed), "installations": shown})


def person(host: "CodeHost", asked: Asked) -> Said:
    """Show a person to themselves."""
    person = host.person_tokens.get(asked.bearer)
    if person is None:
        return Said(401, {"message": "Bad credentials"})
    return Said(200, shapes.person("mona", person.id))


def permission(host: "CodeHost", _asked: Asked, _repo: str, login: str) -> Said:
    """Show what somebody may do in a repository. The public may read one that is public."""
    role = host.roles.get(login, "read")
    base = {"triage": "read", "maintain": "write"}.get(role, role)
    return Said(
        200, {"permission": base, "role_name": role, "user": {**shapes.account(login), "role_name": role}}
    )


def membership(host: "CodeHost", asked: Asked, login: str) -> Said:
    """Show which role a person has in an organization."""
    person = host.person_tokens.get(asked.bearer)
    if person is None:
        return Said(401, {"message": "Bad credentials"})
    found = [each for each in person.reaches if each.login == login and each.kind == "Organization"]
    if not found or person.role is None or found[0] in person.guest_in:
        return NOT_FOUND
    return Said(200, shapes.membership(login, found[0].account_id, person.id, person.role))
