"""The bearer token of a request: from the environment, or from a stored login that is renewed when it expires."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Protocol

from helpdesk_cli.oauth import OAuth, Tokens
from helpdesk_cli.problems import NotLoggedIn, OAuthRefusal, Problem
from helpdesk_cli.settings import Login, Settings, SettingsFile

LEEWAY_MS = 30_000
"""A token that expires within this time is renewed before use."""


class Credential(Protocol):
    """The source of a request's token."""

    def token(self) -> str:
        """Return the token to send."""

    def renewed(self, refused: str) -> str | None:
        """Return another token after one was rejected as invalid; None if there is none."""


class GivenToken:
    """HELPDESK_TOKEN: an access token or a secret key."""

    def __init__(self, token: str) -> None:
        self._token = token.strip()
        if not self._token.isascii() or not self._token.isprintable() or " " in self._token:
            raise Problem("HELPDESK_TOKEN does not hold a token.", "Replace it, or unset it and log in.")

    def token(self) -> str:
        """Return the token."""
        return self._token

    def renewed(self, refused: str) -> str | None:  # noqa: ARG002 - there is only one token
        """Return None: there is no refresh token."""
        return None


class StoredLogin:
    """The login of `helpdesk login`."""

    def __init__(self, file: SettingsFile, base_url: str, oauth: OAuth, now: Callable[[], float]) -> None:
        self._file, self._base_url, self._oauth, self._now = file, base_url, oauth, now
        self._one_thread = threading.Lock()

    def token(self) -> str:
        """Return the access token, renewed if it has expired. Errors: NotLoggedIn."""
        login = self._file.read().login(self._base_url)
        if login.access_token is None:
            raise NotLoggedIn(self._base_url)
        if self._ended(login):
            return self.renewed(login.access_token) or login.access_token
        return login.access_token

    def renewed(self, refused: str) -> str | None:
        """Return the token that another process has stored meanwhile, or exchange the refresh token for a new one.

        Runs under the file's lock, because a refresh token that is used twice ends the login (RFC 9700, section 4.14).
        The new tokens are stored before they are used, and Ctrl-C waits for that. Errors: NotLoggedIn, OAuthRefusal.
        """
        with self._one_thread, self._file.locked(), uninterrupted():
            login = self._file.read().login(self._base_url)
            if login.access_token is None:
                raise NotLoggedIn(self._base_url)
            if login.access_token != refused:
                return login.access_token
            if login.refresh_token is None or login.client_id is None:
                return None
            try:
                tokens = self._oauth.refresh(login.client_id, login.refresh_token)
            except OAuthRefusal as refusal:
                if refusal.error not in {"invalid_grant", "invalid_client"}:
                    raise
                self._file.change(lambda s: s.with_login(self._base_url, login.without_tokens()))
                raise Problem(
                    f"Your login to {self._base_url} has ended.",
                    f"Log in again: helpdesk login --base-url {self._base_url}",
                ) from None
            self._file.change(lambda s: store(s, self._base_url, login.client_id, tokens))
            return tokens.access_token

    def _ended(self, login: Login) -> bool:
        return login.expires_at is not None and login.expires_at <= self._now() * 1000 + LEEWAY_MS


def store(
    settings: Settings, base_url: str, client_id: str | None, tokens: Tokens, *, default: bool = False
) -> Settings:
    """Return the settings with the tokens of a login."""
    login = Login(client_id, tokens.access_token, tokens.refresh_token, tokens.expires_at)
    return settings.with_login(base_url, login, default=default)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer Ctrl-C to the end: losing the new refresh token after the old one was used would lose the login."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = False

    def remember(_number: int, _frame: FrameType | None) -> None:
        nonlocal came
        came = True

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
