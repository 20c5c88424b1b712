"""The apps: the kinds of services, by neutral names, and what an operator enters for each."""

from typing import NamedTuple

from helpdesk.events.integration_jobs import App


class About(NamedTuple):
    """What is known of an app without its adapter.

    service           the name that people know
    credentials       what the operator enters (`scripts.admin set-app`); `private_key` is the path of a file
    several_accounts  whether an organization may connect more than one account
    """

    service: str
    credentials: tuple[str, ...]
    several_accounts: bool = False


APPS = {
    App.CODEHOST: About(
        "GitHub",
        ("app_id", "slug", "client_id", "client_secret", "private_key", "hook_secret"),
        several_accounts=True,
    ),
    App.CHATMIRROR: About("Slack", ("client_id", "client_secret", "signing_secret")),
    App.CHATCOMMUNITY: About("Discord", ("client_id", "client_secret", "public_key", "bot_token")),
    App.TRACKER: About("Linear", ("client_id", "client_secret", "hook_secret")),
}

ONE = "one"
"""The slot of the connection of an app that has one account."""


def slot_of(app: App, account_id: str) -> str:
    """Return where a connection to an account is kept: an app with one account keeps one connection."""
    return account_id if APPS[app].several_accounts else ONE
