"""conversations: the inbox."""

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
@click.option(
    "--status", type=click.Choice(["open", "resolved"]), help="Only conversations with this status."
)
@limit_option
@pass_session
def list_conversations(session: Session, status: str | None, limit: int) -> None:
    """List conversations, most recently active first."""
    answer = session.api().listed("conversations", name="conversations", limit=limit, status=status)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "STATUS", "AWAITING HUMAN", "CUSTOMER", "LAST MESSAGE", "SUBJECT"),
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
        empty="No conversations match." if status else "There are no conversations yet.",
    )


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@limit_option
@pass_session
def show(session: Session, conversation_id: str, limit: int) -> None:
    """Show a conversation and its newest entries, oldest first."""
    answer = _thread(session.api(), conversation_id, limit)
    if session.as_json:
        say_json(answer)
        return
    one = answer["conversation"]
    say_facts(
        [
            ("Subject", one["subject"]),
            ("ID", one["id"]),
            ("Status", one["status"]),
            ("Handled by", one["handledBy"]),
            ("Awaiting human", one["awaitingHuman"]),
            ("Customer", one["customer"]["name"]),
            ("E-mail", one["customer"]["email"]),
            ("Page", (one["page"] or {}).get("url")),
            ("Started", moment(one["startedAt"])),
        ]
    )
    if answer["nextCursor"] is not None:
        say(f"\n(older entries are not shown; raise --limit, now {limit})")
    for entry in answer["messages"]:
        _say_entry(entry)


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("text")
@click.option("--take-over", is_flag=True, help="Take over the conversation; the agent stops answering.")
@click.option("--reopen", is_flag=True, help="Reopen the conversation if it is resolved.")
@pass_session
def reply(session: Session, conversation_id: str, text: str, *, take_over: bool, reopen: bool) -> None:
    """Reply to the visitor as a teammate. With - as TEXT, read the text from stdin."""
    body: dict[str, Any] = {"body": sys.stdin.read() if text == "-" else text}
    body |= {"takeOver": True} if take_over else {}
    body |= {"reopen": True} if reopen else {}
    answer = session.api().post("conversations", conversation_id, "reply", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Sent {answer['messageId']}; the conversation is {answer['conversation']['status']}.")


def _thread(api: Api, conversation_id: str, limit: int) -> dict[str, Any]:
    """Return the conversation with its newest entries. Each further page is older and goes first."""
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
