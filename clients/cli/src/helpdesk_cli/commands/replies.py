"""replies: texts that teammates send often."""

from __future__ import annotations

import sys
from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.text import one_line


@click.group(cls=Listing)
def replies() -> None:
    """Saved replies: texts that your team sends often."""


@replies.command("list")
@limit_option
@pass_session
def list_replies(session: Session, limit: int) -> None:
    """List saved replies, the newest first."""
    answer = session.api().listed("replies", name="replies", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "TITLE", "BY", "CHANGED", "TEXT"),
        [
            (
                one["id"],
                one["title"],
                one["createdByName"],
                moment(one["updatedAt"]),
                one_line(one["body"])[:60],
            )
            for one in answer["replies"]
        ],
        empty="There are no saved replies yet. Save one: helpdesk replies create TITLE TEXT",
    )


@replies.command()
@click.argument("title")
@click.argument("text")
@pass_session
def create(session: Session, title: str, text: str) -> None:
    """Save a text. With - as TEXT, read it from stdin.

    It can contain {{customer.name}}, {{customer.email}}, {{teammate.name}} and {{organization.name}}.
    """
    answer = session.api().post("replies", body={"title": title, "body": _text(text)})
    session.done(answer, f"Saved {answer['title']} ({answer['id']}).")


@replies.command()
@click.argument("reply_id", metavar="ID", type=ID)
@click.option("--title", metavar="NEW", help="The new title.")
@click.option("--text", metavar="NEW", help="The new text, or - to read it from stdin.")
@pass_session
def change(session: Session, reply_id: str, *, title: str | None, text: str | None) -> None:
    """Change a saved reply."""
    if title is None and text is None:
        raise click.UsageError("Pass --title, --text or both.")
    body: dict[str, Any] = {} if title is None else {"title": title}
    body |= {} if text is None else {"body": _text(text)}
    answer = session.api().patch("replies", reply_id, body=body)
    session.done(answer, f"Changed {answer['title']} ({answer['id']}).")


@replies.command()
@click.argument("reply_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def delete(session: Session, reply_id: str, *, yes: bool) -> None:
    """Delete a saved reply."""
    if not yes and not confirmed(f"Delete {reply_id}?"):
        raise Problem("Nothing was deleted.", "Answer y, or use --yes.")
    session.done(session.api().delete("replies", reply_id), f"Deleted {reply_id}.")


def _text(text: str) -> str:
    return sys.stdin.read() if text == "-" else text
