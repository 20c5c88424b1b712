"""conversations: the team's inbox."""

from __future__ import annotations

import sys
from typing import Any

import click

from helpdesk_cli.api import Api
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import moment, say, say_facts, say_json, say_table
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.text import one_line, safe


@click.group(cls=Listing)
def conversations() -> None:
    """Conversations with visitors."""


@conversations.command("list")
@click.option("--status", type=click.Choice(["open", "resolved"]), help="Only those of this status.")
@limit_option
@pass_session
def list_conversations(session: Session, status: str | None, limit: int) -> None:
    """List conversations, the most recently active first."""
    answer = session.api().listed("conversations", name="conversations", limit=limit, status=status)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "STATUS", "WAITS FOR A PERSON", "CUSTOMER", "LAST MESSAGE", "SUBJECT"),
        [
            (
                one["id"],
                one["status"],
                one["awaitingHuman"],
                one["customer"]["name"] or one["customer"]["email"],
                moment(one["lastMessageAt"]),
                one["subject"],
            )
            for one in answer["conversations"]
        ],
        empty="There are no such conversations." if status else "There are no conversations yet.",
    )


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@limit_option
@pass_session
def show(session: Session, conversation_id: str, limit: int) -> None:
    """Show a conversation with its newest entries, oldest first."""
    answer = _thread(session.api(), conversation_id, limit)
    if session.as_json:
        say_json(answer)
        return
    one = answer["conversation"]
    say_facts(
        [
            ("Subject", one["subject"]),
            ("Id", one["id"]),
            ("Status", one["status"]),
            ("Handled by", one["handledBy"]),
            ("Waits for a person", one["awaitingHuman"]),
            ("Customer", one["customer"]["name"]),
            ("E-mail", one["customer"]["email"]),
            ("Page", (one["page"] or {}).get("url")),
            ("Started", moment(one["startedAt"])),
        ]
    )
    if answer["nextCursor"] is not None:
        say(f"\n(older entries are left out; --limit {limit})")
    for entry in answer["messages"]:
        _say_entry(entry)


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("text")
@click.option("--take-over", is_flag=True, help="Take the conversation over: the agent falls silent.")
@click.option("--reopen", is_flag=True, help="Open the conversation again if it is resolved.")
@pass_session
def reply(session: Session, conversation_id: str, text: str, *, take_over: bool, reopen: bool) -> None:
    """Write to the visitor as a teammate. With - as TEXT, it is read from stdin."""
    body: dict[str, Any] = {"body": sys.stdin.read() if text == "-" else text}
    body |= {"takeOver": True} if take_over else {}
    body |= {"reopen": True} if reopen else {}
    answer = session.api().post("conversations", conversation_id, "reply", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Sent {answer['messageId']}; the conversation is {answer['conversation']['status']}.")


def _thread(api: Api, conversation_id: str, limit: int) -> dict[str, Any]:
    """Return the conversation with its newest entries; each further page is older and goes before."""
    messages: list[Any] = []
    page: dict[str, Any] = {}
    for page in api.pages("conversations", conversation_id, name="messages", limit=limit):
        messages = [*page["messages"], *messages]
    return {**page, "messages": messages}


def _say_entry(entry: dict[str, Any]) -> None:
    who = entry["agent"]["name"] if entry["agent"] else "Visitor"
    what = "" if entry["kind"] == "message" else f" ({entry['kind']})"
    say(click.style(f"\n{moment(entry['createdAt'])}  {one_line(who)}{what}", bold=True))
    say(safe(entry["body"]))
    for attachment in entry["attachments"]:
        say(f"  [{one_line(attachment['name'])}]  {one_line(attachment['url'])}")
