"""site sign-in: how visitors of the help site sign in."""

from __future__ import annotations

import sys
from typing import Any

import click

from helpdesk_cli.commands.site import site
from helpdesk_cli.framework import Settings
from helpdesk_cli.output import moment, note, say, say_facts, say_json
from helpdesk_cli.session import Session, pass_session

__all__ = ["site"]  # with the commands of this module

_METHODS = {
    "median": "a code by mail",
    "app": "your app",
    "oidc": "an OpenID Connect provider",
}


@site.group("sign-in", cls=Settings)
def sign_in() -> None:
    """How visitors of the help site sign in."""


@sign_in.command("show")
@pass_session
def show_sign_in(session: Session) -> None:
    """Show how visitors sign in, and why the last sign-in failed."""
    answer = session.api().get("site", "sign-in")
    if session.as_json:
        say_json(answer)
    else:
        _say(answer)


@sign_in.command("set")
@click.argument("method", type=click.Choice([*_METHODS]))
@click.option("--app-url", metavar="URL", help="app: the sign-in route of your app.")
@click.option("--issuer", metavar="URL", help="oidc: the provider's issuer.")
@click.option("--client-id", metavar="ID", help="oidc: the ID of your client there.")
@click.option("--new-secret", is_flag=True, help="oidc: ask for the client's secret, or read it from stdin.")
@pass_session
def set_sign_in(
    session: Session,
    method: str,
    app_url: str | None,
    issuer: str | None,
    client_id: str | None,
    *,
    new_secret: bool,
) -> None:
    """Set how visitors sign in: METHOD is median (a code by mail), app or oidc.

    Visitors who signed in another way are signed out.
    """
    body: dict[str, Any] = {"method": method}
    if app_url is not None:
        body["appUrl"] = app_url
    if (issuer is None) != (client_id is None) or (new_secret and issuer is None):
        raise click.UsageError("--issuer and --client-id belong together, and --new-secret needs both.")
    if issuer is not None:
        body["oidc"] = {"issuer": issuer, "clientId": client_id}
        if new_secret:
            body["oidc"]["clientSecret"] = _secret()
    answer = session.api().patch("site", "sign-in", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say("Saved.")
        _say(answer)


def _secret() -> str:
    """Return the client's secret. It is no argument, so that the shell's history does not keep it."""
    if sys.stdin.isatty():
        return str(click.prompt("Client secret", hide_input=True, err=True))
    text = sys.stdin.readline().strip()
    if not text:
        raise click.UsageError("The client secret is missing. Pass it on stdin.")
    note("Read from stdin.")
    return text


def _say(answer: dict[str, Any]) -> None:
    provider, problem = answer["oidc"], answer["problem"]
    facts = [("method", f"{answer['method']}, {_METHODS[answer['method']]}")]
    if answer["appUrl"] is not None:
        facts.append(("app", answer["appUrl"]))
    if provider is not None:
        facts += [
            ("issuer", provider["issuer"]),
            ("client", f"{provider['clientId']}, secret …{provider['secretHint']}"),
        ]
    facts.append(("redirect URI", answer["oidcRedirectUri"]))
    if problem is not None:
        facts += [
            ("problem", f"{problem['code']}, {moment(problem['at'])}"),
            ("what to do", problem["message"]),
        ]
        if problem["detail"] is not None:
            facts.append(("detail", problem["detail"]))
    say_facts(facts)
