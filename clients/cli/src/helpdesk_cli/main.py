"""The program: its commands, and whether its output is colored."""

from __future__ import annotations

import os

import click

from helpdesk_cli import __version__
from helpdesk_cli.commands import (
    account,
    analytics,
    approvals,
    board_entries,
    board_votes,
    commits,
    completion,
    crawls,
    customers,
    grants,
    hours,
    inbox,
    integrations,
    keys,
    knowledge_suggestions,
    limits,
    logs,
    organizations,
    people,
    replies,
    signals,
    site_sign_in,
    tasks,
    teams,
    tools,
    webhooks,
)
from helpdesk_cli.framework import Main
from helpdesk_cli.session import Session


@click.group(cls=Main, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="helpdesk")
@click.pass_context
def main(context: click.Context) -> None:
    """Helpdesk on the command line.

    Start with `helpdesk login --base-url URL`. In scripts, set HELPDESK_BASE_URL and HELPDESK_TOKEN instead.
    """
    context.ensure_object(Session)
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        context.color = False


for command in (
    account.login,
    account.logout,
    account.whoami,
    account.notifications,
    account.token,
    completion.completion,
    organizations.org,
    keys.keys,
    grants.grants,
    people.members,
    people.invites,
    teams.teams,
    hours.hours,
    hours.targets,
    inbox.conversations,
    replies.replies,
    approvals.approvals,
    signals.signals,
    tasks.tasks,
    commits.commits,
    board_entries.board,
    board_votes.board,  # the same group, with the commands of both
    tools.tools,
    customers.customers,
    logs.logs,
    analytics.analytics,
    webhooks.webhooks,
    crawls.knowledge,
    knowledge_suggestions.knowledge,  # the same group, with the commands of both
    integrations.integrations,
    site_sign_in.site,
    limits.limits,
):
    main.add_command(command)
