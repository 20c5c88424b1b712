"""/v1/integrations: the services that an organization is connected to."""

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.discord import service as discord
from helpdesk.integrations.discord.schemas import CommunityChanged, CommunitySettingsAnswer, CommunityUpdate
from helpdesk.integrations.errors import (
    AddressPrivate,
    BadDocsUrl,
    ChannelNotFound,
    DiscordActFailed,
    DiscordBotOffline,
    DiscordBotTimeout,
    DiscordNotConnected,
    GitHubNotConnected,
    IntegrationNotFound,
    IssueRepoMissing,
    LinearNotConnected,
    RepoAlreadyConnected,
    RepoNameInvalid,
    RepoNotConnected,
    RoleNotFound,
    SlackActFailed,
    SlackBotOffline,
    SlackBotTimeout,
    SlackNotConnected,
    TeamNotFound,
)
from helpdesk.integrations.github import issue_settings as issues
from helpdesk.integrations.github import mirrors
from helpdesk.integrations.github.schemas import (
    IssueRepoAnswer,
    IssueRepoInput,
    IssueRepoSaved,
    MirrorInput,
    MirrorsAnswer,
    RepoAnswer,
    RepoInput,
    RepoQuery,
    RepoUpdate,
)
from helpdesk.integrations.linear import service as linear
from helpdesk.integrations.linear.schemas import TrackerSettingsAnswer, TrackerUpdate
from helpdesk.integrations.schemas import IntegrationsAnswer, RemoveQuery
from helpdesk.integrations.slack import service as slack
from helpdesk.integrations.slack.schemas import MirrorChanged, MirrorSettingsAnswer, MirrorUpdate
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/integrations", access=Access.MEMBER)
def list_integrations(caller: Caller) -> IntegrationsAnswer:
    """List the services, and which accounts are connected. Connecting one takes a browser: /v1/connect/{app}."""
    return integrations.listed(caller.organization)


@api.post(
    "/v1/integrations/repos",
    access=Access.ADMIN,
    errors=(RepoNameInvalid, RepoAlreadyConnected, BadDocsUrl, AddressPrivate, GitHubNotConnected),
)
def mirror_repo(caller: Caller, wanted: MirrorInput) -> RepoAnswer:
    """Mirror a repository: every Markdown file becomes a document. A push syncs it again."""
    return RepoAnswer(repo=mirrors.add(caller.organization, wanted, caller.actor).repo)


@api.patch(
    "/v1/integrations/repos",
    access=Access.ADMIN,
    errors=(RepoNotConnected, BadDocsUrl, AddressPrivate),
)
def update_repo(caller: Caller, change: RepoUpdate) -> RepoAnswer:
    """Change a mirrored repository's branch, folder or public address, and sync it. Its documents stay.

    Documents of files that are outside a new folder, or not on a new branch, are deleted.
    """
    return RepoAnswer(repo=mirrors.change(caller.organization, change, caller.actor).repo)


@api.get("/v1/integrations/repos", access=Access.MEMBER)
def list_repos(caller: Caller) -> MirrorsAnswer:
    """List the mirrored repositories with the results of their latest syncs."""
    return mirrors.listed(caller.organization)


@api.post("/v1/integrations/repos/sync", access=Access.ADMIN, status=202, errors=(RepoNotConnected,))
def sync_repo(caller: Caller, wanted: RepoInput) -> Ok:
    """Sync a mirrored repository now. One that is being synced looks again before it ends."""
    mirrors.sync(caller.organization, wanted.repo)
    return OK


@api.post(
    "/v1/integrations/issue-repo",
    access=Access.ADMIN,
    errors=(RepoNameInvalid, GitHubNotConnected, IssueRepoMissing),
)
def set_issue_repo(caller: Caller, wanted: IssueRepoInput) -> IssueRepoSaved:
    """Set the issue repository. With `autoCreate`, each new signal opens an issue."""
    return IssueRepoSaved(repo=issues.set_repo(caller.organization, wanted, caller.actor))


@api.get("/v1/integrations/issue-repo", access=Access.MEMBER)
def get_issue_repo(caller: Caller) -> IssueRepoAnswer:
    """Get the repository in which issues are opened."""
    return issues.repo_of(caller.organization)


@api.delete("/v1/integrations/repos", access=Access.ADMIN, errors=(RepoNotConnected,))
def remove_repo(caller: Caller, query: RepoQuery) -> Ok:
    """Remove a mirrored repository. Its documents are deleted in the background."""
    mirrors.remove(caller.organization, query.repo, caller.actor)
    return OK


@api.get("/v1/integrations/chatmirror", access=Access.MEMBER, errors=(SlackNotConnected,))
def get_chatmirror(caller: Caller) -> MirrorSettingsAnswer:
    """Get the Slack channel of conversations and the direction of messages."""
    return slack.show(caller.organization)


@api.patch(
    "/v1/integrations/chatmirror",
    access=Access.ADMIN,
    errors=(SlackNotConnected, ChannelNotFound, SlackBotOffline, SlackBotTimeout, SlackActFailed),
)
def update_chatmirror(caller: Caller, change: MirrorUpdate) -> MirrorChanged:
    """Update the Slack channel of conversations or the direction of messages."""
    return slack.change(caller, change)


@api.get("/v1/integrations/tracker", access=Access.MEMBER, errors=(LinearNotConnected,))
def get_tracker(caller: Caller) -> TrackerSettingsAnswer:
    """Get the tracker team, its states by signal status, and the available teams."""
    return linear.show(caller.organization)


@api.patch("/v1/integrations/tracker", access=Access.ADMIN, errors=(LinearNotConnected, TeamNotFound))
def update_tracker(caller: Caller, change: TrackerUpdate) -> TrackerSettingsAnswer:
    """Update the tracker team, its states, or whether signals open issues."""
    return linear.change(caller, change)


@api.get("/v1/integrations/chatcommunity", access=Access.MEMBER, errors=(DiscordNotConnected,))
def get_chatcommunity(caller: Caller) -> CommunitySettingsAnswer:
    """Get the alert channel and the role that alerts mention."""
    return discord.show(caller.organization)


@api.patch(
    "/v1/integrations/chatcommunity",
    access=Access.ADMIN,
    errors=(
        DiscordNotConnected,
        ChannelNotFound,
        RoleNotFound,
        DiscordBotOffline,
        DiscordBotTimeout,
        DiscordActFailed,
    ),
)
def update_chatcommunity(caller: Caller, change: CommunityUpdate) -> CommunityChanged:
    """Update the alert channel or the role that alerts mention."""
    return discord.change(caller, change)


@api.delete(
    "/v1/integrations/<app>",
    access=Access.ADMIN,
    errors=(
        IntegrationNotFound,
        GitHubNotConnected,
        SlackNotConnected,
        DiscordNotConnected,
        LinearNotConnected,
    ),
)
def remove_integration(caller: Caller, app: str, query: RemoveQuery) -> Ok:
    """Disconnect a service. Its tokens are deleted; what it brought stays."""
    name = integrations.app_named(app)
    if name is App.SLACK:
        slack.SETTINGS.disconnect(caller, query.account)
    elif name is App.DISCORD:
        discord.SETTINGS.disconnect(caller, query.account)
    else:
        integrations.remove(caller.organization, name, query.account, caller.actor)
    return OK


handler = api.handler
