"""logs: the organization's log."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli import follow as following
from helpdesk_cli.framework import Command, limit_option
from helpdesk_cli.output import cell, moment, note, say, say_json, say_table
from helpdesk_cli.session import Session, pass_session


@click.command(cls=Command)
@click.option("--kind", help="Only entries of this kind, such as key_created.")
@click.option("--follow", is_flag=True, help="Oldest first, then each new entry until Ctrl-C.")
@limit_option
@pass_session
def logs(session: Session, kind: str | None, limit: int, *, follow: bool) -> None:
    """List the log, newest first. With --follow and --json, each entry is one line."""
    api = session.api()
    if follow:
        try:
            for entry in following.entries(api, kind, limit, sleep=session.sleep, on_wait=note):
                _say_followed(entry, as_json=session.as_json)
        except KeyboardInterrupt:
            return
    answer = api.listed("logs", name="logs", limit=limit, kind=kind)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("TIME", "KIND", "ACTOR", "SUMMARY", "ID"),
        [(moment(one["at"]), one["kind"], one["actor"], _summary(one), one["id"]) for one in answer["logs"]],
        empty="No entries match." if kind else "The log is empty.",
    )


def _say_followed(entry: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(entry, indent=None)
    else:
        say(
            f"{moment(entry['at'])}  {cell(entry['kind']):<26}  {cell(entry['actor'])}: {cell(_summary(entry))}"
        )


def _summary(entry: dict[str, Any]) -> str:
    """Return an entry's sentence, with the number of refusals that share it."""
    times = entry.get("count", 1)
    return str(entry["summary"]) if times == 1 else f"{entry['summary']} ({times} times)"
