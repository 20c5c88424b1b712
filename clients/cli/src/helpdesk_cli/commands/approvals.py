"""approvals: calls of tools that wait until a person approves or denies them."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli import follow as following
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import as_json, cell, moment, note, say, say_facts, say_json, say_table
from helpdesk_cli.session import Session, pass_session

_STATUSES = ("pending", "approved", "denied", "expired")
_NOTE = "What the agent is to know. It may say it to the customer."


@click.group(cls=Listing)
def approvals() -> None:
    """Tool calls that wait for a person."""


@approvals.command("list")
@click.option("--status", type=click.Choice(_STATUSES), help="Only approvals in this state. [default: all]")
@limit_option
@pass_session
def list_approvals(session: Session, status: str | None, limit: int) -> None:
    """List approvals, newest first."""
    answer = session.api().listed("approvals", name="approvals", limit=limit, status=status)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "STATUS", "OUTCOME", "TOOL", "CUSTOMER", "REQUESTED", "INPUT"),
        [
            (
                one["id"],
                one["status"],
                one["outcome"],
                one["tool"],
                _customer(one),
                moment(one["requestedAt"]),
                _input(one),
            )
            for one in answer["approvals"]
        ],
        empty=f"There are no {status} approvals." if status else "There are no approvals yet.",
    )


@approvals.command()
@click.argument("approval_id", metavar="ID", type=ID)
@pass_session
def show(session: Session, approval_id: str) -> None:
    """Show a tool call, the decision, and the outcome of the call."""
    answer = session.api().get("approvals", approval_id)
    if session.as_json:
        say_json(answer)
        return
    one = answer["approval"]
    facts: list[tuple[str, Any]] = [
        ("ID", one["id"]),
        ("Status", one["status"]),
        ("Tool", one["tool"]),
        ("Risk", one["risk"]),
        ("Reason", one["reason"]),
        ("Conversation", one["conversationId"]),
        ("Customer", _customer(one)),
        *_identity(one),
        ("Requested", moment(one["requestedAt"])),
        ("Expires", moment(one["expiresAt"])),
        ("Decided", moment(one["decidedAt"])),
        ("Decided by", one["decidedByName"]),
        ("Note", one["note"]),
        ("Outcome", one["outcome"]),
        ("Result", one["result"]),
        ("Console", session.console("approvals", one["id"])),
    ]
    say_facts(facts)
    say()
    say(as_json(one["input"], indent=2))


@approvals.command()
@click.argument("approval_id", metavar="ID", type=ID)
@click.option("--note", "note_text", help=_NOTE)
@pass_session
def approve(session: Session, approval_id: str, note_text: str | None) -> None:
    """Approve a call. It is made once, with the input that `approvals show` prints."""
    _decide(
        session, approval_id, "approve", note_text, f"Approved {approval_id}. The agent makes the call now."
    )


@approvals.command()
@click.argument("approval_id", metavar="ID", type=ID)
@click.option("--note", "note_text", help=_NOTE)
@pass_session
def deny(session: Session, approval_id: str, note_text: str | None) -> None:
    """Deny a call."""
    _decide(session, approval_id, "deny", note_text, f"Denied {approval_id}. The call is not made.")


@approvals.command()
@pass_session
def watch(session: Session) -> None:
    """Print each call that waits, and each new one, until Ctrl-C. With --json, each is one line."""
    api = session.api()
    try:
        for one in following.waiting(api, "approvals", sleep=session.sleep, on_wait=note, status="pending"):
            if session.as_json:
                say_json(one, indent=None)
            else:
                expires = moment(one["expiresAt"])
                say(f"{cell(one['id'])}  {cell(one['tool'])} {_input(one)}  {_whom(one)}, until {expires}")
    except KeyboardInterrupt:
        return


def _decide(session: Session, approval_id: str, verb: str, note_text: str | None, done: str) -> None:
    body = {} if note_text is None else {"note": note_text}
    answer = session.api().post("approvals", approval_id, verb, body=body)
    if session.as_json:
        say_json(answer)
    else:
        say(done)


def _customer(one: dict[str, Any]) -> str:
    """Who the call is for. An older server says only who the customer is now."""
    who = one.get("identity") or one["customer"]
    return cell(who["name"] or who["email"] or who.get("externalId") or one["customer"]["id"])


def _whom(one: dict[str, Any]) -> str:
    """Who the call is for, with what identifies them: a name proves nothing."""
    known = ", ".join(cell(value) for _, value in _identity(one) if value)
    return f"{_customer(one)} ({known})" if known else _customer(one)


def _identity(one: dict[str, Any]) -> list[tuple[str, Any]]:
    who = one.get("identity")
    if who is None:
        return []
    verified = "verified" if who["emailVerified"] else "not verified"
    return [
        ("Their ID", who["externalId"]),
        ("Their e-mail", f"{who['email']} ({verified})" if who["email"] else None),
    ]


def _input(one: dict[str, Any]) -> str:
    return cell(as_json(one["input"]))
