"""Errors of the chat mirror (Specification: Errors, Integrations)."""

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.errors import how_to_connect
from helpdesk.platform.errors import BadRequestError


class MirrorBotOffline(BadRequestError):
    code = "mirror_bot_offline"
    message = f"The app was removed from Slack. Connect it again. {how_to_connect(App.CHATMIRROR)}"


class MirrorBotTimeout(BadRequestError):
    code = "mirror_bot_timeout"
    message = "The channels aren't listed yet. Try again in a few seconds."


class MirrorActFailed(BadRequestError):
    code = "mirror_act_failed"
    message = (
        "The bot can't join the channel. Type `/invite @helpdesk` in the channel in Slack, and try again."
    )
