"""conversations, continued: write in a conversation, and change its state."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from helpdesk_cli import times
from helpdesk_cli.api import Api
from helpdesk_cli.commands.conversations import conversations
from helpdesk_cli.commands.teams import team_id
from helpdesk_cli.framework import ID, limit_option
from helpdesk_cli.members import member_id
from helpdesk_cli.output import moment, say, say_json
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.text import one_line
from helpdesk_cli.uploads import attachments

__all__ = ["conversations"]
"""The group with all its commands."""


_attach = click.option(
    "--attach",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Attach this file. Repeat it for more, up to six.",
)


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("text")
@click.option("--take-over", is_flag=True, help="Take over the conversation; the agent stops answering.")
@click.option("--reopen", is_flag=True, help="Reopen the conversation if it is resolved.")
@click.option(
    "--if-last-message",
    "last_message",
    metavar="MESSAGE",
    type=ID,
    help="Send it only if this is still the newest message that the visitor sees.",
)
@_attach
@pass_session
def reply(
    session: Session,
    conversation_id: str,
    text: str,
    *,
    take_over: bool,
    reopen: bool,
    last_message: str | None,
    files: tuple[Path, ...],
) -> None:
    """Reply to the visitor as a teammate. With - as TEXT, read the text from stdin."""
    body = _body(session, text, files)
    body |= {"takeOver": True} if take_over else {}
    body |= {"reopen": True} if reopen else {}
    body |= {"ifLastMessageId": last_message} if last_message else {}
    answer = session.api().post("conversations", conversation_id, "reply", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Sent {answer['messageId']}; the conversation is {answer['conversation']['status']}.")


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("text")
@_attach
@pass_session
def note(session: Session, conversation_id: str, text: str, *, files: tuple[Path, ...]) -> None:
    """Add an internal note. Only the team sees it. With - as TEXT, read the text from stdin."""
    body = _body(session, text, files)
    answer = session.api().post("conversations", conversation_id, "note", body=body)
    session.done(answer, f"Added the note {answer['messageId']}.")


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("tags", metavar="TAG...", nargs=-1, required=True)
@pass_session
def tag(session: Session, conversation_id: str, tags: tuple[str, ...]) -> None:
    """Add tags to those of a conversation."""
    _tag(session, conversation_id, lambda present: [*present, *tags])


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("tags", metavar="TAG...", nargs=-1, required=True)
@pass_session
def untag(session: Session, conversation_id: str, tags: tuple[str, ...]) -> None:
    """Remove tags from a conversation."""
    removed = {each.lower() for each in tags}
    _tag(session, conversation_id, lambda present: [each for each in present if each not in removed])


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("into", metavar="OTHER", type=ID)
@pass_session
def merge(session: Session, conversation_id: str, into: str) -> None:
    """Merge a conversation into OTHER, which shows the messages of both. You can't undo it."""
    answer = session.api().post("conversations", conversation_id, "merge", body={"into": into})
    session.done(answer, f"Merged {conversation_id} into {into}.")


@conversations.command("tags")
@click.option("--prefix", metavar="TEXT", help="Only tags that begin with it.")
@limit_option
@pass_session
def list_tags(session: Session, prefix: str | None, limit: int) -> None:
    """List the tags that your team has used in the last year."""
    answer = session.api().listed("tags", name="tags", limit=limit, prefix=prefix)
    if session.as_json:
        say_json(answer)
        return
    for each in answer["tags"]:
        say(one_line(each))


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@pass_session
def read(session: Session, conversation_id: str) -> None:
    """Mark a conversation as read, for you alone."""
    api = session.api()
    conversation_id = api.whole(conversation_id)
    newest = api.get("conversations", conversation_id, limit=1)["conversation"]["lastMessageId"]
    answer = api.put("conversations", conversation_id, "read", body={"messageId": newest})
    session.done(answer, f"Marked {conversation_id} as read.")


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("who", required=False)
@click.option("--team", metavar="TEAM", help="Assign it to this team: an ID or a name, or none for no team.")
@pass_session
def assign(session: Session, conversation_id: str, who: str | None, *, team: str | None) -> None:
    """Assign a conversation to WHO: a user ID, an e-mail address, a name, me, or none to unassign it.

    With --team, it is assigned to a team, in place of WHO or in addition.
    """
    if who is None and team is None:
        raise click.UsageError("Pass WHO, --team or both.")
    api = session.api()
    body: dict[str, str | None] = {}
    if who is not None:
        body["userId"] = _user_id(api, who)
    if team is not None:
        body["teamId"] = None if team == "none" else team_id(api, team)
    answer = api.post("conversations", conversation_id, "assign", body=body)
    to = [name for name in ("you" if who == "me" else who, team) if name not in {None, "none"}]
    done = (
        f"Assigned {conversation_id} to {' and '.join(map(str, to))}."
        if to
        else f"Unassigned {conversation_id}."
    )
    session.done(answer, done)


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.option("--until", required=True, metavar="WHEN", help=f"{times.FORMS[0].upper()}{times.FORMS[1:]}.")
@pass_session
def snooze(session: Session, conversation_id: str, until: str) -> None:
    """Snooze a conversation, from one minute to 365 days. A resolved conversation reopens."""
    try:
        at = times.instant(until, session.now())
    except ValueError:
        raise click.UsageError(f"--until {until!r} is not a time. Give {times.FORMS}.") from None
    answer = session.api().post("conversations", conversation_id, "snooze", body={"until": at})
    session.done(answer, f"Snoozed {conversation_id} until {moment(at)}.")


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@pass_session
def wake(session: Session, conversation_id: str) -> None:
    """End a conversation's snooze."""
    answer = session.api().post("conversations", conversation_id, "snooze", body={"until": None})
    session.done(answer, f"Ended the snooze of {conversation_id}.")


def _add_transition(route: str, description: str, done: str) -> None:
    """Add the command of a route that changes the state and takes no body."""

    @conversations.command(route, help=description)
    @click.argument("conversation_id", metavar="ID", type=ID)
    @pass_session
    def change(session: Session, conversation_id: str) -> None:
        answer = session.api().post("conversations", conversation_id, route)
        session.done(answer, done.format(conversation_id))


for _route, _description, _message in (
    (
        "take-over",
        "Take over a conversation. The agent no longer answers in it.",
        "Took over {}. The agent no longer answers in it.",
    ),
    (
        "hand-back",
        "Hand an open conversation back to the agent.",
        "Handed {} back to the agent.",
    ),
    ("resolve", "Resolve a conversation.", "Resolved {}."),
    (
        "close",
        "Close a conversation. This is the same as `resolve`.",
        "Closed {}. Its status is resolved.",
    ),
    ("reopen", "Reopen a resolved conversation.", "Reopened {}."),
    (
        "archive",
        "Archive a conversation. It leaves the lists and accepts no writes.",
        "Archived {}. To see it again: helpdesk conversations --archived",
    ),
    ("unarchive", "Unarchive a conversation.", "Unarchived {}."),
):
    _add_transition(_route, _description, _message)


def _body(session: Session, text: str, files: tuple[Path, ...]) -> dict[str, Any]:
    """Return the body of a message with its files, which are uploaded."""
    body: dict[str, Any] = {"body": sys.stdin.read() if text == "-" else text}
    if files:
        body["attachments"] = attachments(session.api(), session.web(), files)
    return body


def _tag(session: Session, conversation_id: str, changed: Callable[[list[str]], list[str]]) -> None:
    api = session.api()
    shown = api.get("conversations", conversation_id, limit=1)["conversation"]
    answer = api.put("conversations", conversation_id, "tags", body={"tags": changed(shown["tags"])})
    session.done(answer, f"Changed the tags of {conversation_id}.")


def _user_id(api: Api, who: str) -> str | None:
    if who == "none":
        return None
    return str(api.get("me")["user"]["id"]) if who == "me" else member_id(api, who)
