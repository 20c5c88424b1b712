"""Does the work of Slack: channels, threads of conversations, and what Slack sends."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.adapter import Step
from helpdesk.integrations.chat import ChatAdapter
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack import clicks, outgoing, receiver, replies, service
from helpdesk.integrations.slack.api import SLACK, SlackError
from helpdesk.integrations.slack.record import SlackSettings

_BACK = frozenset({"member_joined_channel", "channel_unarchive"})
"""Events after which a channel may take messages again. Of the first, only the bot's own reach the worker."""
_ALREADY = frozenset({"method_not_supported_for_channel_type", "already_in_channel"})


class SlackAdapter(ChatAdapter[SlackSettings]):
    """The adapter of Slack."""

    app = App.SLACK
    settings = service.SETTINGS

    def handle_webhook(self, connection: Connection, event: str, data: Mapping[str, Any]) -> str:
        """Handle an event of Slack, or a click."""
        match event:
            case receiver.REMOVED:
                if data["at"] < connection.connected_at:
                    return "late"  # it is about the connection before this one
                return integrations.mark_broken(connection, slack.OFFLINE)
            case receiver.CHANNELS:
                if data.get("came") in _BACK:
                    self.settings.set_channel_problem(connection.organization, data["channel"], None)
                if service.is_newer(connection, data["at"] + 1_000):  # Slack's time is in whole seconds
                    return "listed_since"
                return _list_channels(connection)
        handle = {receiver.MESSAGE: replies.relay_message, receiver.CLICK: clicks.handle_click}[event]
        try:
            return handle(SLACK.open(connection), data)
        except SlackError as error:
            return f"refused: {error.code}"

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:
        """Return the jobs of a chat app, and those of channels."""
        return {
            **super().steps(job, until),
            service.LISTING.kind: _list_channels,
            service.CHOSEN: lambda connection: _enter(SLACK.open(connection), str(job.data["channelId"])),
        }

    def show_conversation(self, connection: Connection, conversation_id: str) -> str:
        """Post what is new in a conversation."""
        return outgoing.follow(connection, conversation_id, partial(SLACK.open, connection))

    def on_connect(self, connection: Connection) -> str:
        """List the channels of the workspace, and resume mirroring where it was on."""
        self.resume(connection)
        return _list_channels(connection)

    def on_disconnect(self, connection: Connection, _tokens: Tokens) -> None:
        """Revoke the bot's token, unless another organization is connected to the workspace and has the same one."""
        if integrations.connected_to(self.app, connection.account_id):
            return
        try:
            slack.write(SLACK.open(connection), "auth.revoke", {}, repeatable=True)
        except SlackError:
            return


def _list_channels(connection: Connection) -> str:
    try:
        channels = service.refresh_directory(SLACK.open(connection))
    except SlackError as error:
        return f"refused: {error.code}"
    service.rename_channel(connection, {each.id: each.name for each in channels})
    return "listed"


def _enter(account: Account, channel_id: str) -> str:
    """Let the bot join the chosen channel, and record why Slack refuses."""
    problem = None
    try:
        slack.write(account, "conversations.join", {"channel": channel_id}, repeatable=True)
    except SlackError as error:
        problem = None if error.code in _ALREADY else service.channel_problem(error.code)
    service.SETTINGS.set_channel_problem(account.connection.organization, channel_id, problem)
    return "entered" if problem is None else "refused"
