"""Errors of integrations (Specification: Errors, Integrations)."""

from collections.abc import Iterable, Sequence

from helpdesk.integrations.apps import APPS, App
from helpdesk.oauth.errors import PageError
from helpdesk.platform.errors import BASE_URL, AppError

_MAX_ACCOUNTS_LISTED = 20
"""How many accounts a message lists."""
MOST_LISTED = 40
"""How many channels, roles or teams a message lists."""
MAX_HOOK_BYTES = 4_000_000
"""How much one request of a service may send."""


def how_to_connect(app: App) -> str:
    """Return the sentence that says how an admin connects an app."""
    return (
        f"An admin opens {BASE_URL}/v1/connect/{app.value} in a browser or runs `helpdesk integrations connect "
        f"{app.value}`."
    )


def connected_accounts(accounts: Iterable[str]) -> str:
    """Return the sentence that lists the connected accounts."""
    names = sorted({each.casefold(): each for each in accounts}.values())
    return f"Connected: {some_of(names, most=_MAX_ACCOUNTS_LISTED)}."


def some_of(names: Sequence[str], *, most: int = MOST_LISTED, more: bool = False) -> str:
    """Return the first names, and that there are others: some that are left out here, or `more`."""
    return f"{', '.join(names[:most])}{' and others' if more or len(names) > most else ''}"


class CodehostNotConnected(AppError):
    """No code-host account is connected, or none of them owns the repository."""

    status, code = 400, "codehost_not_connected"
    message = f"Connect the GitHub account that owns the repository first. {how_to_connect(App.CODEHOST)}"


class ChatmirrorNotConnected(AppError):
    """No chat workspace is connected."""

    status, code = 400, "chatmirror_not_connected"
    message = f"Connect Slack first. {how_to_connect(App.CHATMIRROR)}"


class ChatcommunityNotConnected(AppError):
    """No community server is connected."""

    status, code = 400, "chatcommunity_not_connected"
    message = f"Connect Discord first. {how_to_connect(App.CHATCOMMUNITY)}"


class TrackerNotConnected(AppError):
    """No issue tracker is connected."""

    status, code = 400, "tracker_not_connected"
    message = f"Connect Linear first. {how_to_connect(App.TRACKER)}"


NOT_CONNECTED: dict[App, type[AppError]] = {
    App.CODEHOST: CodehostNotConnected,
    App.CHATMIRROR: ChatmirrorNotConnected,
    App.CHATCOMMUNITY: ChatcommunityNotConnected,
    App.TRACKER: TrackerNotConnected,
}


class ChannelNotFound(AppError):
    """No channel has the name; the message lists those that exist."""

    status, code = 404, "channel_not_found"
    message = "Name a channel that the app can see. Invite the app to a private channel first."


class IntegrationNotFound(AppError):
    """No integration has this name."""

    status, code = 404, "integration_not_found"
    message = f"The integrations are {', '.join(app.value for app in APPS)}."


class InvalidSignature(AppError):
    """A request of a service is not signed with the app's secret, or is too old."""

    status, code = 401, "invalid_signature"
    message = "Sign the request with the secret of the app, as the service does, and send it within its time."


class HookTooLarge(AppError):
    """A request of a service is larger than is read."""

    status, code = 400, "body_too_large"
    message = f"Send at most {MAX_HOOK_BYTES:,} bytes."


class AppNotSetUp(PageError):
    """The operator has not entered the app's credentials."""

    status, code = 400, "app_not_set_up"
    title = "This integration is not set up"
    message = (
        "The operator of this deployment has not registered an app with this service yet. "
        "The guide to the integration says how: scripts.admin set-app."
    )


class NoAdmin(PageError):
    """The person may not connect a service in any of their organizations."""

    status, code = 403, "forbidden"
    title = "Only an admin connects services"
    message = "You are an admin or owner of no organization here. Ask one of yours to open this page."


class ConnectFailed(PageError):
    """The service did not connect; the message says why."""

    status, code = 400, "connect_failed"
    title = "It was not connected"
    message = "The service did not answer as expected. Start again."
