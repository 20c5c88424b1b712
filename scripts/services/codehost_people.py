"""What the stand-in of GitHub answers about a person who connects an account."""

from typing import TYPE_CHECKING

from scripts.services import codehost_shapes as shapes
from scripts.services.server import Asked, Said

if TYPE_CHECKING:
    from scripts.services.codehost import CodeHost

CLIENT_SECRET = "a client secret"
NOT_FOUND = Said(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})


def exchange(host: "CodeHost", asked: Asked) -> Said:
    """Exchange a code for a person's token."""
    sent = asked.json
    reached = host.codes.pop(sent["code"], None)
    if reached is None or sent["client_secret"] != CLIENT_SECRET:
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
    return Said(200, {"total_count": len(listed), "installations": listed})


def person(host: "CodeHost", asked: Asked) -> Said:
    """Show a person to themselves."""
    person = host.person_tokens.get(asked.bearer)
    if person is None:
        return Said(401, {"message": "Bad credentials"})
    return Said(200, shapes.person("mona", person.id))


def membership(host: "CodeHost", asked: Asked, login: str) -> Said:
    """Show which role a person has in an organization."""
    person = host.person_tokens.get(asked.bearer)
    if person is None:
        return Said(401, {"message": "Bad credentials"})
    found = [each for each in person.reaches if each.login == login and each.kind == "Organization"]
    if not found or person.role is None:
        return NOT_FOUND
    return Said(200, shapes.membership(login, found[0].account_id, person.id, person.role))
