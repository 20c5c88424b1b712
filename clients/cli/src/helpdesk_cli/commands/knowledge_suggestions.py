"""knowledge suggestions: documents that are suggested from the team's answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from helpdesk_cli.commands.knowledge import knowledge
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import moment, say, say_facts, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

__all__ = ["knowledge"]  # with the commands below, as the program adds it

_PATH = ("knowledge", "suggestions")
_STATUSES = ("pending", "accepted", "dismissed")


@knowledge.group(cls=Listing)
def suggestions() -> None:
    """Documents that are suggested from the team's answers."""


@suggestions.command("list")
@click.option("--status", type=click.Choice(_STATUSES), help="Only suggestions in this state. [default: all]")
@limit_option
@pass_session
def list_suggestions(session: Session, status: str | None, limit: int) -> None:
    """List suggestions, newest first."""
    answer = session.api().listed(*_PATH, name="suggestions", limit=limit, status=status)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "STATUS", "KIND", "QUESTIONS", "SUGGESTED", "TITLE"),
        [
            (
                one["id"],
                one["status"],
                one["kind"],
                len(one["evidence"]),
                moment(one["suggestedAt"]),
                one["title"],
            )
            for one in answer["suggestions"]
        ],
        empty=f"There are no {status} suggestions." if status else "There are no suggestions yet.",
    )


@suggestions.command()
@click.argument("suggestion_id", metavar="ID", type=ID)
@pass_session
def show(session: Session, suggestion_id: str) -> None:
    """Show a suggestion with its text and the questions that it answers."""
    answer = session.api().get(*_PATH, suggestion_id)
    if session.as_json:
        say_json(answer)
        return
    one = answer["suggestion"]
    asked = one["answersNow"]
    facts: list[tuple[str, Any]] = [
        ("ID", one["id"]),
        ("Status", one["status"]),
        ("Suggested", moment(one["suggestedAt"])),
        ("Conversation", one["conversationId"]),
        ("Changes", one["targetDocId"]),
        ("Alias", one["alias"]),
        ("Decided", moment(one["decidedAt"])),
        ("Decided by", one["decidedByName"]),
        ("Document", one["documentId"]),
        ("Answers now", f"{asked['answered']} of {asked['of']} questions" if asked else None),
        *(("Question", each["question"]) for each in one["evidence"]),
        ("Title", one["title"]),
    ]
    say_facts(facts)
    say()
    say(one["body"])


@suggestions.command()
@click.argument("suggestion_id", metavar="ID", type=ID)
@click.option("--title", help="Another title.")
@click.option(
    "--body-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Markdown file with another text: the document's whole text.",
)
@click.option("--folder", "folder_id", metavar="ID", type=ID, help="The folder of the document.")
@click.option("--alias", help="Other words that find the document.")
@pass_session
def accept(
    session: Session,
    suggestion_id: str,
    title: str | None,
    body_file: Path | None,
    folder_id: str | None,
    alias: str | None,
) -> None:
    """Write the suggested document, change the one that it is for, or add words that find one."""
    edited = {"title": title, "body": _text(body_file), "folderId": folder_id, "alias": alias}
    body = {name: value for name, value in edited.items() if value is not None}
    answer = session.api().post(*_PATH, suggestion_id, "accept", body=body)
    if session.as_json:
        say_json(answer)
    else:
        one = answer["suggestion"]
        say(f"{'Changed' if one['targetDocId'] else 'Created'} document {one['documentId']}.")


@suggestions.command()
@click.argument("suggestion_id", metavar="ID", type=ID)
@pass_session
def dismiss(session: Session, suggestion_id: str) -> None:
    """Dismiss a suggestion."""
    answer = session.api().post(*_PATH, suggestion_id, "dismiss")
    if session.as_json:
        say_json(answer)
    else:
        say(f"Dismissed {suggestion_id}.")


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Problem(f"Cannot read {path} as UTF-8.", "Give a Markdown file with --body-file.") from None
