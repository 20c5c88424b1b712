"""Device login (RFC 8628), token refresh (RFC 6749, section 6) and revocation (RFC 7009).

This program is a public client without a secret. It registers its client ID once per service (RFC 7591).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from helpdesk_cli.problems import NotHelpdesk, OAuthRefusal, Problem, Unreachable
from helpdesk_cli.web import Web

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SCOPE = "api manage"
"""`manage` is for the commands of keys, members, invites and grants. The page of approval says so."""
SLOWER_SECONDS = 5.0
"""What each slow_down adds to the interval (RFC 8628, section 3.5)."""
LONGEST_INTERVAL_SECONDS = 60.0


@dataclass(frozen=True)
class Tokens:
    """The tokens of a login; `expires_at` in ms since 1970."""

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    expires_at: int | None


@dataclass(frozen=True)
class DeviceLogin:
    """A login that waits for approval; times in seconds."""

    device_code: str = field(repr=False)
    user_code: str
    verification_uri: str
    verification_uri_complete: str | None
    expires_in: float
    interval: float


class OAuth:
    """The OAuth routes of a service."""

    def __init__(self, web: Web, now: Callable[[], float]) -> None:
        self._web, self._now = web, now

    def register(self) -> str:
        """Register this program as a public client and return its ID. Errors: OAuthRefusal."""
        answer = self._web.send(
            "POST",
            "/v1/oauth/register",
            body={
                "client_name": "Helpdesk command line",
                "grant_types": [DEVICE_GRANT, "refresh_token"],
                "response_types": [],
                "token_endpoint_auth_method": "none",
            },
        )
        return self._text(self._granted(answer), "client_id")

    def begin(self, client_id: str) -> DeviceLogin:
        """Start a device login. Errors: OAuthRefusal, with `invalid_client` if the service lost the client."""
        form = {"client_id": client_id, "scope": SCOPE}
        content = self._granted(self._form("/v1/oauth/device_authorization", form))
        complete = content.get("verification_uri_complete")
        return DeviceLogin(
            device_code=self._text(content, "device_code"),
            user_code=self._text(content, "user_code"),
            verification_uri=self._text(content, "verification_uri"),
            verification_uri_complete=complete if isinstance(complete, str) else None,
            expires_in=self._seconds(content.get("expires_in"), 600.0),
            interval=self._seconds(content.get("interval"), 5.0),
        )

    def exchange(self, client_id: str, device_code: str) -> Tokens:
        """Ask once whether the login is approved. Errors: OAuthRefusal, with `authorization_pending` until then."""
        return self._tokens({"grant_type": DEVICE_GRANT, "device_code": device_code, "client_id": client_id})

    def refresh(self, client_id: str, refresh_token: str) -> Tokens:
        """Exchange a refresh token, which works only once. Errors: OAuthRefusal."""
        return self._tokens(
            {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": client_id},
            kept=refresh_token,
        )

    def revoke(self, client_id: str, token: str) -> None:
        """End a login. Revoking a refresh token also ends its access tokens. Errors: OAuthRefusal."""
        answer = self._form("/v1/oauth/revoke", {"token": token, "client_id": client_id})
        if not answer.is_success:
            self._granted(answer)

    def _tokens(self, form: Mapping[str, str], kept: str | None = None) -> Tokens:
        content = self._granted(self._form("/v1/oauth/token", form))
        refresh_token = content.get("refresh_token")
        lifetime = self._seconds(content.get("expires_in"), 0.0)
        return Tokens(
            access_token=self._text(content, "access_token"),
            refresh_token=refresh_token if isinstance(refresh_token, str) else kept,
            expires_at=round((self._now() + lifetime) * 1000) if lifetime else None,
        )

    def _form(self, path: str, form: Mapping[str, str]) -> httpx.Response:
        return self._web.send("POST", path, form=form)

    def _granted(self, answer: httpx.Response) -> dict[str, Any]:
        content = self._web.json_of(answer)
        if answer.is_success:
            return content
        error = content.get("error")
        if isinstance(error, str):
            raise OAuthRefusal(
                answer.status_code,
                error,
                str(content.get("error_description") or ""),
                retry_after=self._web.retry_after(answer),
            )
        return self._web.object_of(answer)  # the API's error object, such as not_found

    def _text(self, content: Mapping[str, Any], name: str) -> str:
        value = content.get(name)
        if not isinstance(value, str) or not value:
            raise NotHelpdesk(self._web.base_url, f"an OAuth response without {name}")
        return value

    def _seconds(self, value: Any, otherwise: float) -> float:
        return float(value) if isinstance(value, (int, float)) and value > 0 else otherwise


def wait_for_approval(
    oauth: OAuth,
    client_id: str,
    device: DeviceLogin,
    *,
    sleep: Callable[[float], None],
    now: Callable[[], float],
) -> Tokens:
    """Poll at the service's interval until the person approves or declines. Errors: Problem if there is no login."""
    interval, deadline = device.interval, now() + device.expires_in
    while now() + interval <= deadline:
        sleep(interval)
        try:
            return oauth.exchange(client_id, device.device_code)
        except OAuthRefusal as refusal:
            interval = _next_interval(refusal, interval)
        except Unreachable:
            # Back off after a connection failure (RFC 8628, section 3.5).
            interval = min(interval * 2, LONGEST_INTERVAL_SECONDS)
    raise _ended("The code was not approved in time.")


def _next_interval(refusal: OAuthRefusal, interval: float) -> float:
    if refusal.error == "authorization_pending":
        return interval
    if refusal.error == "slow_down":
        return max(interval + SLOWER_SECONDS, refusal.retry_after or 0.0)
    if refusal.status in {429, 503}:
        return max(interval, refusal.retry_after or min(interval * 2, LONGEST_INTERVAL_SECONDS))
    if refusal.error == "access_denied":
        raise _ended("The login was declined.")
    if refusal.error == "expired_token":
        raise _ended("The code was not approved in time.")
    raise refusal


def _ended(message: str) -> Problem:
    return Problem(message, "Start again: helpdesk login")
