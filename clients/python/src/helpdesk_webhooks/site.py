"""Sign your users in to your Helpdesk help site, and to the chat widget on your pages (`widget_token`).

The help site leads a visitor to the sign-in route of your app, with `redirect` and `state` in its query. When your app
knows who they are, it leads them back to the address that `sign_in_address` returns:

    from helpdesk_webhooks.site import SiteUser, sign_in_address

    @app.get("/help-sign-in")
    @login_required
    def help_sign_in():
        user = SiteUser(id=current_user.id, name=current_user.name, email=current_user.email)
        return redirect(sign_in_address(KEY, SITE, request.args["redirect"], request.args["state"], user))

`SITE` is your help site's address, `https://…/site/<slug>`. The check of `redirect` against it is what keeps your
users' tokens from other sites, so `sign_in_address` insists on it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .derivation import site_secret

TOKEN_SECONDS = 60
"""How long a token lives."""

_KEY_PREFIX = "svc_key_"
_WIDGET_STATE = "widget"
_MAX_ID_CHARACTERS = 200
_MAX_STATE_CHARACTERS = 1024


@dataclass(frozen=True)
class SiteUser:
    """A user of your app.

    id              your own id of them, 1 to 200 characters; it never changes
    email_verified  whether you know that the address is theirs. Only then are they the same customer as who signs in
                    with a code to this address
    picture         the https address of their picture
    """

    id: str
    name: str | None = None
    email: str | None = None
    email_verified: bool = False
    picture: str | None = None


def sign_in_address(key: str, site: str, redirect: str, state: str, user: SiteUser) -> str:
    """The address that signs a user in to the help site: `redirect`, with a token behind its `#`.

    `key` is a secret key (`svc_key_…`), `site` the address of your help site. `redirect` and `state` are what your
    sign-in route got. The address is for this user's browser alone, for 60 seconds.

    Raises ValueError for a `redirect` that is not of your help site, and for what cannot be a key, a state or a user.
    """
    _require_of_site(redirect, site)
    return f"{redirect}#token={sign_in_token(key, state, user)}"


def sign_in_token(
    key: str, state: str, user: SiteUser, *, now: float | None = None, token_id: str | None = None
) -> str:
    """The token of `sign_in_address`, to send in the field `token` of a form that is posted to `redirect`.

    Check first that `redirect` is of your help site. `now` (seconds) and `token_id` are for tests.

    Raises ValueError for what cannot be a key, a state or a user.
    """
    secret = site_secret(key)
    if not _is_text(state, _MAX_STATE_CHARACTERS):
        raise ValueError("Pass the `state` that your sign-in route got, as it is.")
    if not _is_text(user.id, _MAX_ID_CHARACTERS):
        raise ValueError(f"The user's id must be text of 1 to {_MAX_ID_CHARACTERS} characters.")
    issued = int(time.time() if now is None else now)
    claims: dict[str, Any] = {
        "aud": _organization(key),
        "sub": user.id,
        "iat": issued,
        "exp": issued + TOKEN_SECONDS,
        "jti": secrets.token_urlsafe(24) if token_id is None else token_id,
        "state": state,
    }
    said = {"name": user.name, "email": user.email, "picture": user.picture}
    claims.update((name, value) for name, value in said.items() if value is not None)
    if user.email is not None:
        claims["email_verified"] = user.email_verified
    signed = f"{_encoded(_json({'alg': 'HS256', 'typ': 'JWT'}))}.{_encoded(_json(claims))}"
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{_encoded(signature)}"


def widget_token(key: str, user: SiteUser, *, now: float | None = None, token_id: str | None = None) -> str:
    """The token with which your page signs its user in to the chat widget: `Helpdesk.identify(token)`.

    Make one for each page that you serve to a signed-in user. It lives for 60 seconds and works once. `now` (seconds)
    and `token_id` are for tests.

    Raises ValueError for what cannot be a key or a user.
    """
    return sign_in_token(key, _WIDGET_STATE, user, now=now, token_id=token_id)


def _organization(key: str) -> str:
    """The organization that a key names."""
    organization, _, random = key[len(_KEY_PREFIX) :].partition("_")
    if not key.startswith(_KEY_PREFIX) or not organization or not random:
        raise ValueError("Sign-ins need a secret key of the present scheme: svc_key_<organization>_<random>.")
    return f"org_{organization}"


def _is_text(value: object, most: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most


def _require_of_site(redirect: str, site: str) -> None:
    root = urlsplit(site)
    if root.scheme not in {"https", "http"} or not root.netloc:
        raise ValueError("`site` must be the address of your help site, https://…/site/<slug>.")
    # Compared as text: what is spelled in another way is not what the help site sent.
    if redirect != f"{root.scheme}://{root.netloc}{root.path.rstrip('/')}/sign-in/return":
        raise ValueError("`redirect` is not an address of your help site. Do not send anybody there.")


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
