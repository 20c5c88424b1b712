"""tasks: the board, its cards, and the requests that wait for a decision."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import moment, say, say_json, say_table
from helpdesk_cli.session import Session, pass_session

_COLUMNS = click.Choice(["requests", "planned", "in_progress", "in_review", "done"])
_PRIORITIES = click.Choice(["urgent", "high", "medium", "low"])


@click.group(cls=Listing)
def tasks() -> None:
    """The task board."""


@tasks.command("list")
@click.option("--status", type=_COLUMNS, help="Only this column.")
@click.option("--assignee", help="Only the cards of this teammate: a user ID or an e-mail address.")
@click.option("--search", "text", help="Only cards that contain all these words.")
@limit_option
@pass_session
def list_tasks(
    session: Session, status: str | None, assignee: str | None, text: str | None, limit: int
) -> None:
    """List cards, column by column."""
    answer = _listed(session, "tasks", limit=limit, most=100, status=status, assignee=assignee, q=text)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("KEY", "STATUS", "PRIORITY", "ASSIGNEE", "TITLE"),
        [
            (
                one["key"],
                one["status"],
                one["priority"],
                one["assignee"] and one["assignee"]["name"],
                one["title"],
            )
            for one in answer["tasks"]
        ],
        empty="There are no cards.",
    )


@tasks.command()
@limit_option
@pass_session
def requests(session: Session, limit: int) -> None:
    """List the customer requests that nobody has decided on, newest first."""
    answer = _listed(session, "tasks", "requests", limit=limit, most=60)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("SIGNAL", "KIND", "PRIORITY", "REPORTERS", "FILED", "TITLE"),
        [
            (
                one["signalId"],
                one["kind"],
                one["priority"],
                one["reporterCount"],
                moment(one["filedAt"]),
                one["title"],
            )
            for one in answer["requests"]
        ],
        empty="No request waits for a decision.",
    )


@tasks.command()
@click.argument("title")
@click.option("--description", help="Markdown.")
@click.option("--status", type=_COLUMNS, help="The column. [default: planned]")
@click.option("--priority", type=_PRIORITIES, help="How soon to work on it.")
@click.option("--assignee", help="The user ID of a member.")
@pass_session
def add(
    session: Session,
    title: str,
    description: str | None,
    status: str | None,
    priority: str | None,
    assignee: str | None,
) -> None:
    """Add a card."""
    sent = {
        "title": title,
        "description": description,
        "status": status,
        "priority": priority,
        "assigneeId": assignee,
    }
    answer = session.api().post("tasks", body={name: value for name, value in sent.items() if value})
    _said(session, answer, f"Added {answer['key']}.")


@tasks.command()
@click.argument("card", metavar="KEY", type=ID)
@click.argument("status", metavar="COLUMN", type=_COLUMNS, required=False)
@click.option("--before", help="The card before which to put it, by key.")
@click.option("--after", help="The card after which to put it, by key.")
@pass_session
def move(session: Session, card: str, status: str | None, before: str | None, after: str | None) -> None:
    """Move a card to another column, or to another place. Its signal moves with it."""
    sent = {"status": status, "before": before, "after": after}
    body = {name: value for name, value in sent.items() if value}
    if not body:
        raise click.UsageError("Name a column, or use --before or --after.")
    answer = session.api().patch("tasks", card, body=body)
    _said(session, answer, f"{answer['task']['key']} is in {answer['task']['status']}.")


@tasks.command()
@click.argument("signal_id", metavar="SIGNAL", type=ID)
@pass_session
def adopt(session: Session, signal_id: str) -> None:
    """Make a request a card, by the ID of its signal."""
    answer = session.api().post("tasks", "adopt", body={"signalId": signal_id})
    _said(session, answer, f"Adopted as {answer['key']}.")


@tasks.command()
@click.argument("card", metavar="ID", type=ID)
@pass_session
def decline(session: Session, card: str) -> None:
    """Decline a request: a card in the column `requests`, or a signal by its ID."""
    _said(session, session.api().post("tasks", card, "decline"), f"Declined {card}.")


def _listed(session: Session, *path: str, limit: int, most: int, **filters: str | None) -> dict[str, Any]:
    """Return up to `limit` entries; the API has at most `most` on a page."""
    api, name = session.api(), path[-1]
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        answer = api.get(*path, limit=min(most, limit - len(found)), cursor=cursor, **filters)
        found += answer[name]
        cursor = answer["nextCursor"]
        if cursor is None or len(found) >= limit:
            return {name: found, "nextCursor": cursor}


def _said(session: Session, answer: dict[str, Any], text: str) -> None:
    if session.as_json:
        say_json(answer)
    else:
        say(text)
