"""limits: the organization's rate limits."""

from __future__ import annotations

import click

from helpdesk_cli.framework import Command
from helpdesk_cli.output import say, say_json, say_table
from helpdesk_cli.session import Session, pass_session


@click.command(cls=Command)
@pass_session
def limits(session: Session) -> None:
    """Show the organization's tier and rate limits."""
    answer = session.api().get("billing", "limits")
    if session.as_json:
        say_json(answer)
        return
    say(f"Tier {answer['tier']} (limits as of {answer['version']})")
    if answer["limits"] is None:
        say("No fixed limit; fair use applies.")
        return
    rows = [(name, one["perMinute"], one["burst"]) for name, one in answer["limits"].items()]
    say_table(("CLASS", "PER MINUTE", "BURST"), rows, empty="No limits.")
