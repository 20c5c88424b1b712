"""One run of the program: its options, and the dependencies that tests replace."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click
import httpx

from helpdesk_cli.address import normalized
from helpdesk_cli.api import Api
from helpdesk_cli.credentials import Credential, GivenToken, StoredLogin
from helpdesk_cli.oauth import OAuth
from helpdesk_cli.output import note, say, say_json
from helpdesk_cli.settings import SettingsFile
from helpdesk_cli.web import Web


def _open_browser(address: str) -> bool:
    # Without a display, webbrowser would start a text browser in this terminal.
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    return webbrowser.open(address)


@dataclass
class Session:
    """The options of a run and its dependencies. `now` returns seconds since 1970."""

    transport: httpx.BaseTransport | None = None
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    open_browser: Callable[[str], bool] = _open_browser
    as_json: bool = False
    given_base_url: str | None = None
    file: SettingsFile = field(default_factory=SettingsFile)

    def base_url(self) -> str:
        """Return the service's address: from the option, the environment or the last login."""
        named = self.given_base_url or os.environ.get("HELPDESK_BASE_URL", "").strip()
        if named:
            return normalized(named)
        last = self.file.read().default
        if last is None:
            raise click.UsageError(
                "No service selected. Log in with `helpdesk login --base-url URL`, or set HELPDESK_BASE_URL."
            )
        return normalized(last)

    def console(self, screen: str, named: str) -> str:
        """Return the address of a thing in the console, such as "conversations" and its ID."""
        return f"{self.base_url()}/console/{screen}/{named}"

    def done(self, answer: dict[str, Any], message: str) -> None:
        """Write what a command has done: the API's JSON for programs, a message for people."""
        if self.as_json:
            say_json(answer)
        else:
            say(message)

    def web(self) -> Web:
        """Return an HTTP client of the service. It is closed when the command ends."""
        web = Web(self.base_url(), transport=self.transport, sleep=self.sleep, now=self.now, on_wait=note)
        click.get_current_context().call_on_close(web.close)
        return web

    def api(self, *, waits: bool = True) -> Api:
        """Return an API client with HELPDESK_TOKEN, or else with the stored login of this service.

        Without `waits` it raises the Refusal of a busy service at once, instead of waiting a few times.
        """
        web = self.web()
        return Api(web, self.credential(web), waits=waits)

    def credential(self, web: Web) -> Credential:
        """Return the credential of every request: HELPDESK_TOKEN, or else the stored login of this service."""
        given = os.environ.get("HELPDESK_TOKEN", "").strip()
        if given:
            return GivenToken(given)
        return StoredLogin(self.file, web.base_url, OAuth(web, self.now), self.now)


pass_session = click.make_pass_decorator(Session, ensure=True)
