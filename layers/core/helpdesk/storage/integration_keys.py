"""Keys of connections to other services, of mirrored repositories, and of what connects and comes in.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Connection(ItemKey):
    """A connection to an account of a service; `slot` is the account's id where an app has several, else `one`."""

    PK, SK = "ORG#{organization}#INTEGRATION", "CONNECTION#{app}#{slot}"
    organization: str
    app: str
    slot: str


class IntegrationSettings(ItemKey):
    """What an organization set for one app: a channel, a team, the repository of its issues."""

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#{app}"
    organization: str
    app: str


class TrackerTeam(ItemKey):
    """A team of a workspace of the issue tracker, with its states."""

    PK, SK = "ORG#{organization}#INTEGRATION", "TEAM#{account_id}#{team_id}"
    organization: str
    account_id: str
    team_id: str


class TrackerDirectory(ItemKey):
    """When the teams of a workspace were listed, and last asked for."""

    PK, SK = "ORG#{organization}#INTEGRATION", "TEAMS#{account_id}"
    organization: str
    account_id: str


class TrackerIssue(ItemKey):
    """An issue of the tracker that is a signal's, in the partition of its workspace, or one that is being opened."""

    PK, SK = "ORG#{organization}#TRACKER#{account_id}", "ISSUE#{issue_id}"
    organization: str
    account_id: str
    issue_id: str


class TrackerRequest(ItemKey):
    """What was asked for about the issue of a signal, and what Linear said to it."""

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "REQUEST#tracker"
    organization: str
    signal_id: str


class MissedConversation(ItemKey):
    """A conversation that had something new while an app could post nothing in an account."""

    PK, SK = "ORG#{organization}#MISSED#{app}#{account_id}", "CONV#{conversation_id}"
    organization: str
    app: str
    account_id: str
    conversation_id: str


class MirrorChannel(ItemKey):
    """A channel of a chat workspace by its name, as the directory of channels has it."""

    PK, SK = "ORG#{organization}#INTEGRATION", "CHANNEL#{account_id}#{name}"
    organization: str
    account_id: str
    name: str


class MirrorDirectory(ItemKey):
    """When the channels of a chat workspace were listed, and last asked for."""

    PK, SK = "ORG#{organization}#INTEGRATION", "DIRECTORY#{account_id}"
    organization: str
    account_id: str


class MirroredConversation(ItemKey):
    """A conversation's thread in a channel of a chat workspace, and how far it has come."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MIRROR#{team}#{channel}"
    organization: str
    conversation_id: str
    team: str
    channel: str


class MirrorThread(ItemKey):
    """The conversation that a thread of a channel is of, by the time stamp of its first message."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "THREAD#{channel}#{thread}"
    organization: str
    team: str
    channel: str
    thread: str


class MirrorReply(ItemKey):
    """That a message of a thread was sent to the customer or refused; its presence makes it the only time."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "REPLY#{channel}#{message}"
    organization: str
    team: str
    channel: str
    message: str


class MirrorClick(ItemKey):
    """That a click on a button of a thread was done; its presence makes it the only time."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "CLICK#{click}"
    organization: str
    team: str
    click: str


class MirrorPace(ItemKey):
    """When the next message may go to a channel."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "PACE#{channel}"
    organization: str
    team: str
    channel: str


class CommunityDirectory(ItemKey):
    """The channels and roles of a community server, and when they were listed and last asked for."""

    PK, SK = "ORG#{organization}#INTEGRATION", "SERVER#{account_id}"
    organization: str
    account_id: str


class CommunityFeed(ItemKey):
    """What a community server shows of a conversation (`answers`, `alerts`), where, and how far it has come."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "COMMUNITY#{server}#{kind}"
    organization: str
    conversation_id: str
    server: str
    kind: str


class CommunityPlace(ItemKey):
    """The newest conversation that has its answers in a channel or thread of a community server."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "PLACE#{channel}"
    organization: str
    server: str
    channel: str


class CommunityCommand(ItemKey):
    """That a command which somebody typed was done; its presence makes it the only time."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "COMMAND#{interaction}"
    organization: str
    server: str
    interaction: str


class CommunityAsker(ItemKey):
    """How often a person asked within ten minutes, by the number of those."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "ASKER#{user}#{window}"
    organization: str
    server: str
    user: str
    window: str


class CommunityPace(ItemKey):
    """When the next message may go to a channel of a community server."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "PACE#{channel}"
    organization: str
    server: str
    channel: str


class ConnectionTokens(ItemKey):
    """The tokens of a connection, and the claim of the worker that renews them."""

    PK, SK = "ORG#{organization}#TOKENS", "CONNECTION#{connection_id}"
    organization: str
    connection_id: str


class ConnectedAccount(ItemKey):
    """That an organization is connected to an account of a service."""

    PK, SK = "SERVICEACCOUNT#{app}#{account_id}", "ORGANIZATION#{organization}"
    app: str
    account_id: str
    organization: str


class AppCredentials(ItemKey):
    """The operator's credentials of an app at a service."""

    PK, SK = "APPSECRET#{app}", "APPSECRET"
    app: str


class HookDelivery(ItemKey):
    """A request that a service sent, by the hash of its id; its presence makes it the only one. An outbox item."""

    PK, SK = "HOOK#{app}#{delivery_hash}", "HOOK"
    app: str
    delivery_hash: str


class HookAttempt(ItemKey):
    """That a service was asked to deliver a request again after an attempt that failed, by its id of the attempt."""

    PK, SK = "HOOKATTEMPT#{app}#{attempt_id}", "ATTEMPT"
    app: str
    attempt_id: str


class ConnectState(ItemKey):
    """A connection on its way through a service's pages, by the SHA-256 of its `state`."""

    PK, SK = "OAUTH#CONNECT#{state_hash}", "CONNECT"
    state_hash: str


def connected_account(app: str, account_id: str) -> str:
    """Return the partition of the organizations that are connected to an account."""
    return f"SERVICEACCOUNT#{app}#{account_id}"


class SignalIssue(ItemKey):
    """The issue of a signal at a service, or the claim on opening it; its presence makes the issue the only one."""

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "{app}"
    organization: str
    signal_id: str
    app: str


class IssueProblem(ItemKey):
    """Why an existing issue could not become a signal's."""

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "PROBLEM#{app}"
    organization: str
    signal_id: str
    app: str


class AwaitedIssue(ItemKey):
    """A signal whose issue could not be opened when it was filed, and is to be later."""

    PK, SK = "ORG#{organization}#AWAITED#{app}", "SIGNAL#{signal_id}"
    organization: str
    app: str
    signal_id: str


class IssueNumber(ItemKey):
    """Which signal an issue of a code host belongs to, by the hash of its repository and its number."""

    PK, SK = "ORG#{organization}#ISSUEOF#{repo_hash}", "NUMBER#{number}"
    organization: str
    repo_hash: str
    number: str
