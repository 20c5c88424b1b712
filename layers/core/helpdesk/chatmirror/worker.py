"""Does the work of the chat mirror: channels, threads of conversations, and what Slack sent."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from helpdesk.chatmirror import clicks, directory, outgoing, receiver, replies, service, slack
from helpdesk.chatmirror.slack import SlackError
from helpdesk.integrations import accounts, connection_jobs, following, missed
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import NotConnectedNow
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform.errors import AppError

if TYPE_CHECKING:
    from helpdesk.integrations.adapter import Worker

HOSTS = slack.HOSTS

_BACK = frozenset({"member_joined_channel", "channel_unarchive"})
"""Events after which a channel may take messages again. Of the first, only the bot's own reach the worker."""
_ALREADY = frozenset({"method_not_supported_for_channel_type", "already_in_channel"})


def renew(_app: AppCredentials, _connection: Connection, tokens: Tokens) -> Tokens:
    """Return the token as it is: a bot's token does not end."""
    return tokens


def headers(tokens: Tokens) -> Mapping[str, str]:
    """Return the headers that every request of the bot has."""
    return {"authorization": f"Bearer {tokens.values[slack.TOKEN]}"}


def take_hook(connection: Connection, event: str, data: Mapping[str, Any], _until: int) -> str:
    """Do what an event of Slack asks for."""
    if event == receiver.REMOVED:
        if data["at"] < connection.connected_at:
            return "late"  # it is about the connection before this one
        integrations.broke(connection, slack.OFFLINE)
        return "broken"
    if event == receiver.CHANNELS:
        if data.get("came") in _BACK:
            service.note_problem(connection.organization, data["channel"], None)
        if directory.is_newer(connection, data["at"] + 1_000):  # Slack's time is in whole seconds
            return "listed_since"
        return _list(connection)
    take = {receiver.MESSAGE: replies.take_message, receiver.CLICK: clicks.take_click}[event]
    try:
        return take(_opened(connection), data)
    except SlackError as error:
        return f"refused: {error.code}"


def work(job: IntegrationJob, until: int) -> str:
    """Do a job of the chat mirror until an instant (ms)."""
    return connection_jobs.do(
        job,
        App.CHATMIRROR,
        {
            directory.LIST: _list,
            following.FOLLOW: lambda connection: outgoing.follow(
                connection, following.conversation_of(job), lambda: _opened(connection)
            ),
            service.CHOSEN: lambda connection: _enter(_opened(connection), str(job.data["channelId"])),
            missed.CATCH_UP: lambda connection: missed.catch_up(connection, until),
        },
        service.mirrored_team,
    )


signal_changed = connection_jobs.leaves_signals


def connected(connection: Connection) -> str:
    """List the channels of a workspace, and go on mirroring where that was on."""
    try:
        service.resume(connection)
    except AppError:
        raise NotConnectedNow from None
    return _list(connection)


def removed(_app: AppCredentials | None, connection: Connection, tokens: Tokens | None) -> None:
    """Revoke the bot's token, unless another organization is connected to the workspace, as it is the same for both."""
    if tokens is None or integrations.connected_to(App.CHATMIRROR, connection.account_id):
        return
    try:
        slack.write(_opened(connection), "auth.revoke", {}, repeatable=True)
    except SlackError:
        return


def _list(connection: Connection) -> str:
    try:
        channels = directory.refresh(_opened(connection))
    except SlackError as error:
        return f"refused: {error.code}"
    service.note_name(connection, {each.id: each.name for each in channels})
    return "listed"


def _enter(account: Account, channel_id: str) -> str:
    """Let the bot into the channel that was chosen, and note the problem if Slack refuses."""
    organization = account.connection.organization
    try:
        slack.write(account, "conversations.join", {"channel": channel_id}, repeatable=True)
    except SlackError as error:
        if error.code not in _ALREADY:
            service.note_problem(organization, channel_id, service.refused(error.code))
            return "refused"
    service.note_problem(organization, channel_id, None)
    return "entered"


def _opened(connection: Connection) -> Account:
    return accounts.opened(connection, cast("Worker", sys.modules[__name__]))
