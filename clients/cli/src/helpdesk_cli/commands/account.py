"""login, logout, whoami, notifications, token."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from urllib.parse import urlsplit

import click

from helpdesk_cli.api import Api
from helpdesk_cli.credentials import StoredLogin, store, uninterrupted
from helpdesk_cli.framework import Command
from helpdesk_cli.oauth import DeviceLogin, OAuth, wait_for_approval
from helpdesk_cli.output import NOTHING, note, say, say_facts, say_json
from helpdesk_cli.problems import NotLoggedIn, OAuthRefusal, Problem
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.web import Web


@click.command(cls=Command)
@click.option("--no-browser", is_flag=True, help="Show the address without opening it.")
@pass_session
def login(session: Session, *, no_browser: bool) -> None:
    """Log in by approving this program in a browser, on this device or another."""
    web = session.web()
    oauth = OAuth(web, session.now)
    session.file.read()  # report an invalid file now, not after the approval
    client_id, device = _begin(session, web, oauth)
    _ask_for_approval(session, device, no_browser=no_browser)
    try:
        tokens = wait_for_approval(oauth, client_id, device, sleep=session.sleep, now=session.now)
    except KeyboardInterrupt:
        raise Problem(
            "The login was canceled. You are not logged in.", "Start again: helpdesk login"
        ) from None
    with session.file.locked(), uninterrupted():
        before = session.file.read().login(web.base_url)
        session.file.change(lambda s: store(s, web.base_url, client_id, tokens, default=True))
    if before.refresh_token and before.client_id:
        with contextlib.suppress(Problem):  # the old login is no longer used and expires by itself
            oauth.revoke(before.client_id, before.refresh_token)
    if os.environ.get("HELPDESK_TOKEN"):
        note("HELPDESK_TOKEN is set and overrides this login. Unset it to use the login.")
    me = Api(web, StoredLogin(session.file, web.base_url, oauth, session.now)).get("me")
    if session.as_json:
        say_json(me)
        return
    say(f"Logged in to {web.base_url} as {me['user']['name']} ({me['user']['email']}).")
    if me["organization"] is None:
        say(
            "Choose an organization: helpdesk org list, then helpdesk org use SLUG. Or create one: helpdesk org create"
        )


@click.command(cls=Command)
@click.option("--local", is_flag=True, help="Delete the stored login without contacting the service.")
@pass_session
def logout(session: Session, *, local: bool) -> None:
    """End the login: revoke its tokens and delete them here."""
    web = session.web()
    oauth = OAuth(web, session.now)
    with session.file.locked(), uninterrupted():
        stored = session.file.read().login(web.base_url)
        token = stored.refresh_token or stored.access_token
        if token is None:
            raise NotLoggedIn(web.base_url)
        if not local and stored.client_id:
            _revoke(oauth, stored.client_id, token)
        session.file.change(lambda s: s.with_login(web.base_url, stored.without_tokens()))
    if session.as_json:
        say_json({"ok": True})
    else:
        say(f"Logged out of {web.base_url}.")


@click.command(cls=Command)
@pass_session
def whoami(session: Session) -> None:
    """Show who you are and your current organization."""
    me = session.api().get("me")
    if session.as_json:
        say_json(me)
        return
    organization = me["organization"]
    say_facts(
        [
            ("Name", me["user"]["name"]),
            ("E-mail", me["user"]["email"]),
            ("ID", me["user"]["id"]),
            ("Organization", f"{organization['name']} ({organization['slug']})" if organization else NOTHING),
            ("Role", organization["role"] if organization else NOTHING),
            ("Service", session.base_url()),
        ]
    )


_NOTIFIED = {
    "waiting": "a conversation that nobody is assigned to waits for the team",
    "assigned": "somebody else assigns you a conversation",
    "reply": "a customer writes in a conversation that you are assigned to",
    "approval": "a call of a tool waits for an approval",
}


@click.command(cls=Command)
@click.option(
    "--mail",
    multiple=True,
    type=click.Choice([*_NOTIFIED]),
    help="What to be mailed, several times for more.",
)
@click.option("--none", is_flag=True, help="Be mailed nothing.")
@pass_session
def notifications(session: Session, *, mail: tuple[str, ...], none: bool) -> None:
    """Show or choose what you are notified of by e-mail in the current organization."""
    if mail and none:
        raise Problem("`--mail` and `--none` exclude each other.", "Use one of them.")
    api = session.api()
    if mail or none:
        answer = api.patch("me", "notifications", body={"mail": [*mail]})
    else:
        answer = api.get("me", "notifications")
    if session.as_json:
        say_json(answer)
        return
    say_facts(
        [(f"When {what}", "mail" if kind in answer["mail"] else "off") for kind, what in _NOTIFIED.items()]
    )


@click.command(cls=Command)
@pass_session
def token(session: Session) -> None:
    """Write an access token to stdout, for curl and other programs. It works for up to an hour."""
    value = session.credential(session.web()).token()
    note(
        "Warning: the token can do anything you can. Don't share it, and keep it out of files and logs. "
        "It expires within an hour, or when you log out."
        if not os.environ.get("HELPDESK_TOKEN", "").strip()
        else "Warning: this is the token of HELPDESK_TOKEN. Don't share it, and keep it out of files and logs."
    )
    if session.as_json:
        say_json({"token": value})
    else:
        say(value)


def _begin(session: Session, web: Web, oauth: OAuth) -> tuple[str, DeviceLogin]:
    """Return the client ID and a pending login. A client that the service no longer knows is registered again."""
    client_id = session.file.read().login(web.base_url).client_id
    if client_id is not None:
        try:
            return client_id, oauth.begin(client_id)
        except OAuthRefusal as refusal:
            if refusal.error not in {"invalid_client", "unauthorized_client"}:
                raise
    client_id = _registered(session, web, oauth, forgotten=client_id)
    return client_id, oauth.begin(client_id)


def _registered(session: Session, web: Web, oauth: OAuth, *, forgotten: str | None) -> str:
    with session.file.locked(), uninterrupted():
        known = session.file.read().login(web.base_url)
        if known.client_id is not None and known.client_id != forgotten:
            return known.client_id  # another login has registered it in the meantime
        client_id = oauth.register()
        session.file.change(lambda s: s.with_login(web.base_url, replace(known, client_id=client_id)))
        return client_id


def _ask_for_approval(session: Session, device: DeviceLogin, *, no_browser: bool) -> None:
    note(f"Open:  {device.verification_uri}")
    note(f"Enter: {device.user_code}")
    note(f"Then approve. The code expires in {device.expires_in / 60:.0f} minutes. Press Ctrl-C to cancel.")
    address = device.verification_uri_complete or device.verification_uri
    if not no_browser and urlsplit(address).scheme in {"http", "https"}:
        with contextlib.suppress(Exception):  # the address is printed; opening a browser is optional
            session.open_browser(address)


def _revoke(oauth: OAuth, client_id: str, token: str) -> None:
    try:
        oauth.revoke(client_id, token)
    except OAuthRefusal as refusal:
        if refusal.error != "invalid_client":  # a service that no longer knows the client has no login of it
            raise
    except Problem as problem:
        problem.hint += " You are still logged in. `helpdesk logout --local` only deletes the stored login."
        raise
