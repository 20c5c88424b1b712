"""Errors of the chat community (Specification: Errors, Integrations)."""

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.errors import how_to_connect
from helpdesk.platform.errors import BadRequestError, NotFoundError


class RoleNotFound(NotFoundError):
    code = "role_not_found"
    message = "`role` must name a role of the Discord server."


class ChatcommunityBotOffline(BadRequestError):
    code = "chatcommunity_bot_offline"
    message = f"The bot can't reach the Discord server. Connect it again. {how_to_connect(App.CHATCOMMUNITY)}"


class ChatcommunityBotTimeout(BadRequestError):
    code = "chatcommunity_bot_timeout"
    message = "The server's channels and roles aren't listed yet. Try again in a few seconds."


class ChatcommunityActFailed(BadRequestError):
    code = "chatcommunity_act_failed"
    message = (
        "The bot can't write in the channel. Let it view the channel and send messages there, and try again."
    )
