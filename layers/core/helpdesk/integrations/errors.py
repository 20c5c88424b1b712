"""Errors of integrations (Specification: Errors, Integrations)."""

from collections.abc import Iterable, Sequence

from helpdesk.accounts.oauth.errors import PageError
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.apps import APPS
from helpdesk.platform.errors import BASE_URL, AppError, BadRequestError, NotFoundError, UnauthorizedError

_MAX_ACCOUNTS_LISTED = 20
"""How many accounts a message lists."""
MOST_LISTED = 40
"""How many channels, roles or teams a message lists."""
MAX_HOOK_BYTES = 4_000_000
"""How much one request of a service may send."""


def how_to_connect(app: App) -> str:
    """Return the sentence that says how an admin connects an app."""
    return (
        f"Ask an admin to open {BASE_URL}/v1/connect/{app.value} in a browser, or to run "
        f"`helpdesk integrations connect {app.value}`."
    )


def connected_accounts(accounts: Iterable[str]) -> str:
    """Return the sentence that lists the connected accounts."""
    names = sorted({each.casefold(): each for each in accounts}.values())
    return f"Connected: {some_of(names, most=_MAX_ACCOUNTS_LISTED)}."


def some_of(names: Sequence[str], *, most: int = MOST_LISTED, more: bool = False) -> str:
    """Return the first names, and that there are others: some that are left out here, or `more`."""
    return f"{', '.join(names[:most])}{' and others' if more or len(names) > most else ''}"


class CodehostNotConnected(BadRequestError):
    code = "codehost_not_connected"
    message = f"The GitHub account that owns the repository isn't connected. {how_to_connect(App.CODEHOST)}"


class ChatmirrorNotConnected(BadRequestError):
    code = "chatmirror_not_connected"
    message = f"Slack isn't connected. {how_to_connect(App.CHATMIRROR)}"


class ChatcommunityNotConnected(BadRequestError):
    code = "chatcommunity_not_connected"
    message = f"Discord isn't connected. {how_to_connect(App.CHATCOMMUNITY)}"


class TrackerNotConnected(BadRequestError):
    code = "tracker_not_connected"
    message = f"Linear isn't connected. {how_to_connect(App.TRACKER)}"


NOT_CONNECTED: dict[App, type[AppError]] = {
    App.CODEHOST: CodehostNotConnected,
    App.CHATMIRROR: ChatmirrorNotConnected,
    App.CHATCOMMUNITY: ChatcommunityNotConnected,
    App.TRACKER: TrackerNotConnected,
}


class ChannelNotFound(NotFoundError):
    code = "channel_not_found"
    message = "`channel` must name a channel that the app can see. Invite the app to a private channel first."


class IntegrationNotFound(NotFoundError):
    code = "integration_not_found"
    message = f"No integration has this name. The integrations are {', '.join(app.value for app in APPS)}."


class InvalidSignature(UnauthorizedError):
    code = "invalid_signature"
    message = "The signature is invalid or has expired. Sign the request with the app's secret, as the service does."


class HookTooLarge(BadRequestError):
    code = "body_too_large"
    message = f"The body must be at most {MAX_HOOK_BYTES:,} bytes."


class AppNotSetUp(PageError):
    status, code = 400, "app_not_set_up"
    title = "This integration is not set up"
    message = (
        "The operator of this deployment has not registered an app with this service yet. "
        "Ask them to follow the guide to the integration: scripts.admin set-app."
    )


class NoAdmin(PageError):
    status, code = 403, "forbidden"
    title = "Only an admin can connect services"
    message = "You aren't an admin or owner of an organization here. Ask an admin to open this page."


class ConnectFailed(PageError):
    status, code = 400, "connect_failed"
    title = "Not connected"
    message = "The service didn't respond as expected. Start again."
