"""Errors of the chat community (Specification: Errors, Integrations)."""

from helpdesk.integrations.apps import App
from helpdesk.integrations.errors import how_to_connect
from helpdesk.platform.errors import AppError


class RoleNotFound(AppError):
    """No role has the name; the message lists those that exist."""

    status, code = 404, "role_not_found"
    message = "Name a role of the server in Discord."


class ChatcommunityBotOffline(AppError):
    """The bot was removed from the server, or its token is no longer valid."""

    status, code = 400, "chatcommunity_bot_offline"
    message = (
        f"Connect Discord again, because the bot can't reach the server. {how_to_connect(App.CHATCOMMUNITY)}"
    )


class ChatcommunityBotTimeout(AppError):
    """The channels and roles are not listed yet."""

    status, code = 400, "chatcommunity_bot_timeout"
    message = (
        "Discord has not listed the server's channels and roles yet. Send the request again in a few seconds."
    )


class ChatcommunityActFailed(AppError):
    """Discord keeps the bot out of the channel, or nobody is notified of the role's mention."""

    status, code = 400, "chatcommunity_act_failed"
    message = "Let the bot view the channel and send messages in it at Discord, and send the request again."
