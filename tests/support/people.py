"""Access tokens of people, as an OAuth server would have stored them."""

from helpdesk.admission.service import sha256
from helpdesk.platform import clock, ids
from helpdesk.storage import keys, table


def issue_token(organization: str | None, *, role: str, name: str, lifetime_ms: int = 3_600_000) -> str:
    """Store a token of a new person and return it."""
    token = f"svc_oat_{ids.secret()}"
    table.put_new(
        {
            **keys.AccessToken(sha256(token)).attributes(),
            "userId": ids.new("usr"),
            "name": name,
            "organization": organization,
            "role": role,
            "validUntil": clock.now_ms() + lifetime_ms,
        }
    )
    return token
