"""The manifests of the apps that an operator registers: what each may do, what it is sent, and its addresses here.

GitHub Docs, "Registering a GitHub App from a manifest"; Slack, "App manifest reference". Discord and Linear take none.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.slack.connector import SCOPES

GITHUB_PERMISSIONS: Final = MappingProxyType(
    {
        "contents": "read",
        "issues": "write",
        "members": "read",
        "metadata": "read",
        "pull_requests": "read",
    }
)
GITHUB_EVENTS: Final = ("issues", "pull_request", "push", "repository")
"""What is subscribed to. What happens to an installation is sent to every App."""
SLACK_EVENTS: Final = (
    "app_uninstalled",
    "channel_archive",
    "channel_created",
    "channel_deleted",
    "channel_rename",
    "channel_unarchive",
    "group_rename",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "tokens_revoked",
)


def codehost(base_url: str, name: str) -> dict[str, Any]:
    """Return the manifest of the GitHub App, which any account can install."""
    return {
        "name": name,
        "url": base_url,
        "hook_attributes": {"url": f"{base_url}/v1/hooks/codehost", "active": True},
        "callback_urls": [f"{base_url}/v1/connect/codehost/callback"],
        "request_oauth_on_install": True,
        "setup_on_update": True,
        "public": True,
        "default_permissions": dict(GITHUB_PERMISSIONS),
        "default_events": list(GITHUB_EVENTS),
    }


def chatmirror(base_url: str, name: str) -> dict[str, Any]:
    """Return the manifest of the app of Slack."""
    hooks = f"{base_url}/v1/hooks/chatmirror"
    return {
        "display_information": {"name": name},
        "features": {"bot_user": {"display_name": "helpdesk", "always_online": True}},
        "oauth_config": {
            "redirect_urls": [f"{base_url}/v1/connect/chatmirror/callback"],
            "scopes": {"bot": list(SCOPES)},
        },
        "settings": {
            "event_subscriptions": {"request_url": hooks, "bot_events": list(SLACK_EVENTS)},
            "interactivity": {"is_enabled": True, "request_url": hooks},
            "org_deploy_enabled": False,
            "socket_mode_enabled": False,
            "token_rotation_enabled": False,
        },
    }


MANIFESTS: Final[Mapping[App, Callable[[str, str], dict[str, Any]]]] = MappingProxyType(
    {App.GITHUB: codehost, App.SLACK: chatmirror}
)
