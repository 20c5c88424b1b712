"""Errors and limits of integrations (Specification: Errors, Integrations), and how the work for a service ends.

`TryLater`, `Revoked`, `NotConnectedNow` and `UnknownJob` are for the worker: no response has them.
"""

from collections.abc import Iterable, Sequence

from helpdesk.accounts.oauth.errors import PageError
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import APPS
from helpdesk.platform.errors import BASE_URL, AppError, BadRequestError, NotFoundError, UnauthorizedError

_MAX_ACCOUNTS_LISTED = 20
"""How many accounts a message lists."""
MOST_LISTED = 40
"""How many channels, roles or teams a message lists."""
MAX_HOOK_BYTES = 4_000_000
"""How much one request of a service may send."""
MAX_FILES = 5_000
"""Files that one repository brings."""
MAX_IMAGES = 1_000
"""Images that one repository brings."""
MAX_FILE_BYTES = 1_000_000
"""Of a Markdown file or an image."""
MAX_ISSUE_NUMBER = 999_999_999
MAX_TEAM_CHARACTERS = 200
MAX_STATE_CHARACTERS = 200
MAX_IDENTIFIER_CHARACTERS = 40


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


class GitHubNotConnected(BadRequestError):
    code = "codehost_not_connected"
    message = f"The GitHub account that owns the repository isn't connected. {how_to_connect(App.GITHUB)}"


class SlackNotConnected(BadRequestError):
    code = "chatmirror_not_connected"
    message = f"Slack isn't connected. {how_to_connect(App.SLACK)}"


class DiscordNotConnected(BadRequestError):
    code = "chatcommunity_not_connected"
    message = f"Discord isn't connected. {how_to_connect(App.DISCORD)}"


class LinearNotConnected(BadRequestError):
    code = "tracker_not_connected"
    message = f"Linear isn't connected. {how_to_connect(App.LINEAR)}"


NOT_CONNECTED: dict[App, type[AppError]] = {
    App.GITHUB: GitHubNotConnected,
    App.SLACK: SlackNotConnected,
    App.DISCORD: DiscordNotConnected,
    App.LINEAR: LinearNotConnected,
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


class SlackBotOffline(BadRequestError):
    code = "mirror_bot_offline"
    message = f"The app was removed from Slack. Connect it again. {how_to_connect(App.SLACK)}"


class SlackBotTimeout(BadRequestError):
    code = "mirror_bot_timeout"
    message = "The channels aren't listed yet. Try again in a few seconds."


class SlackActFailed(BadRequestError):
    code = "mirror_act_failed"
    message = (
        "The bot can't join the channel. Type `/invite @helpdesk` in the channel in Slack, and try again."
    )


class RoleNotFound(NotFoundError):
    code = "role_not_found"
    message = "`role` must name a role of the Discord server."


class DiscordBotOffline(BadRequestError):
    code = "chatcommunity_bot_offline"
    message = f"The bot can't reach the Discord server. Connect it again. {how_to_connect(App.DISCORD)}"


class DiscordBotTimeout(BadRequestError):
    code = "chatcommunity_bot_timeout"
    message = "The server's channels and roles aren't listed yet. Try again in a few seconds."


class DiscordActFailed(BadRequestError):
    code = "chatcommunity_act_failed"
    message = (
        "The bot can't write in the channel. Let it view the channel and send messages there, and try again."
    )


class RepoNameInvalid(BadRequestError):
    code = "repo_name_invalid"
    message = "`repo` must be a name such as `acme/docs`, without an address or `.git`."


class RepoAlreadyConnected(BadRequestError):
    code = "repo_already_connected"
    message = (
        "This repository is already mirrored. "
        "To change its branch, folder or address, call PATCH /v1/integrations/repos."
    )


class RepoNotConnected(BadRequestError):
    code = "repo_not_connected"
    message = "This repository isn't mirrored. GET /v1/integrations/repos lists the mirrored repositories."


class BadDocsUrl(BadRequestError):
    code = "bad_docs_url"
    message = "`publishedAt` must be an https URL without a query."


class AddressPrivate(BadRequestError):
    code = "address_private"
    message = "`publishedAt` must be a public address, because customers follow links to it."


class IssueRepoMissing(BadRequestError):
    code = "issue_repo_missing"
    message = "No issue repository is set. Send `repo`."


class IssueNotFound(NotFoundError):
    code = "issue_not_found"
    message = (
        "GitHub has no issue with this number in the issue repository. Send the number of an existing issue."
    )


class CommitRepoNotFound(NotFoundError):
    code = "commit_repo_not_found"
    message = "`repo` must be a repository of a connected account, as `owner/repo`. Or connect its account."


class TeamNotFound(NotFoundError):
    code = "team_not_found"
    message = (
        "`team` must name a team that the app can see in Linear. GET /v1/integrations/tracker lists them."
    )


class LinearFailed(BadRequestError):
    code = "tracker_failed"
    message = "Linear rejected the request. Fix the problem it reports and try again."


class TryLater(Exception):
    """The service cannot answer now. The job is put off, for `seconds` where the service said how long."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


class ServiceRateLimited(TryLater):
    """The service takes no more requests for now."""


class OutcomeUnknown(TryLater):
    """The request may have reached the service, and no response came. Look before sending it again."""


class Revoked(Exception):
    """The service rejects our credentials; the text says what an admin has to do."""


class NotConnectedNow(Exception):
    """The connection was removed while work for it was on its way. There is nothing left to do."""


class UnknownJob(Exception):
    """This version knows no such job, as after a step back to an older one. The queue keeps it as a dead letter."""
