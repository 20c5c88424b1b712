"""Errors of the chat mirror (Specification: Errors, Integrations)."""

from helpdesk.integrations.apps import App
from helpdesk.integrations.errors import how_to_connect
from helpdesk.platform.errors import AppError


class MirrorBotOffline(AppError):
    """The app was removed from Slack, or its token revoked."""

    status, code = 400, "mirror_bot_offline"
    message = f"Connect Slack again, because its app was removed there. {how_to_connect(App.CHATMIRROR)}"


class MirrorBotTimeout(AppError):
    """The channels are not listed yet."""

    status, code = 400, "mirror_bot_timeout"
    message = "Slack has not listed its channels yet. Send the request again in a few seconds."


class MirrorActFailed(AppError):
    """Slack refused to let the bot into the channel."""

    status, code = 400, "mirror_act_failed"
    message = "Type `/invite @helpdesk` in the channel at Slack, and send the request again."
