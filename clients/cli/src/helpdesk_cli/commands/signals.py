"""signals: bugs and suggestions that customers report."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import moment, say, say_facts, say_json, say_table
from helpdesk_cli.session import Session, pass_session

_KINDS = click.Choice(("bug", "suggestion"))
_PRIORITIES = click.Choice(("urgent", "high", "medium", "low"))
_STATUSES = click.Choice(("open", "planned", "in progress", "in review", "done", "declined"))
_REPORTER = (
    click.option(
        "--conversation",
        "conversation_id",
        metavar="ID",
        type=ID,
        help="The conversation in which the customer reported it.",
    ),
    click.option(
        "--customer",
        "customer_id",
        metavar="ID",
        type=ID,
        help="The customer who reported it elsewhere.",
    ),
    click.option("--who", help="The name of a reporter who is not a customer."),
    click.option("--quote", help="The reporter's own words."),
    click.option(
        "--image",
        "images",
        multiple=True,
        metavar="URL",
        help="The https address of an image. Repeat it for several.",
    ),
)


def reporter_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name a reporter; the command gets them as `reporter`, as the API takes them."""

    @wraps(command)
    def with_reporter(
        *values: Any,
        conversation_id: str | None,
        customer_id: str | None,
        who: str | None,
        quote: str | None,
        images: tuple[str, ...],
        **named: Any,
    ) -> None:
        sent = {"conversationId": conversation_id, "customerId": customer_id, "who": who, "quote": quote}
        shown = {"images": [{"url": url} for url in images]} if images else {}
        command(*values, reporter={**_sent(sent), **shown}, **named)

    for option in reversed(_REPORTER):
        with_reporter = option(with_reporter)
    return with_reporter


@click.group(cls=Listing)
def signals() -> None:
    """Bugs and suggestions that customers report."""


@signals.command("list")
@click.option("--kind", type=_KINDS, help="Only bugs, or only suggestions. [default: both]")
@click.option("--status", type=_STATUSES, help="Only signals with this status. [default: all]")
@click.option("--priority", type=_PRIORITIES, help="Only signals with this priority. [default: all]")
@click.option("--search", "words", metavar="WORDS", help="Only signals that have all of these words.")
@limit_option
@pass_session
def list_signals(
    session: Session,
    kind: str | None,
    status: str | None,
    priority: str | None,
    words: str | None,
    limit: int,
) -> None:
    """List signals, newest first."""
    answer = session.api().listed(
        "signals", name="signals", limit=limit, kind=kind, status=status, priority=priority, q=words
    )
    filtered = any((kind, status, priority, words))
    _say_signals(session, answer, "No signals match." if filtered else "There are no signals yet.")


@signals.command()
@click.argument("title")
@pass_session
def similar(session: Session, title: str) -> None:
    """Find signals with a similar title, also in other words."""
    answer = session.api().get("signals", "similar", title=title)
    _say_signals(session, answer, "There are no similar signals.")


@signals.command()
@click.argument("signal_id", metavar="ID", type=ID)
@pass_session
def show(session: Session, signal_id: str) -> None:
    """Show a signal with who reported it, and the commits that may finish it."""
    answer = session.api().get("signals", signal_id)
    if session.as_json:
        say_json(answer)
        return
    one = answer["signal"]
    facts: list[tuple[str, Any]] = [
        ("ID", one["id"]),
        ("Kind", one["kind"]),
        ("Status", one["status"]),
        ("Priority", one["priority"]),
        ("Filed", moment(one["filedAt"])),
        ("Updated", moment(one["updatedAt"])),
        ("Updated by", one["updatedByName"]),
        ("Reporters", one["reporterCount"]),
        *(("Issue", one[name]["url"]) for name in ("tracker", "codehost") if one[name] is not None),
        *(("Also called", alias) for alias in one["aliases"]),
        ("Console", session.console("signals", one["id"])),
        ("Title", one["title"]),
    ]
    say_facts(facts)
    if one["body"]:
        say()
        say(one["body"])
    if answer["reporters"]:
        say()
        say_table(
            ("REPORTED", "NOTIFIED", "WHO", "QUOTE"),
            [
                (moment(each["reportedAt"]), moment(each["notifiedAt"]), each["who"], each["quote"])
                for each in answer["reporters"]
            ],
            empty="",
        )
    if answer["commits"]:
        say()
        say_table(
            ("COMMIT", "APPLIED", "AUTHOR", "MESSAGE"),
            [
                (
                    each["sha"][:12],
                    "yes" if each["applied"] else "no",
                    each["author"],
                    each["message"].partition("\n")[0],
                )
                for each in answer["commits"]
            ],
            empty="",
        )


@signals.command("file")
@click.argument("title")
@click.option("--kind", type=_KINDS, default="bug", show_default=True, help="What it is.")
@click.option("--priority", type=_PRIORITIES, help="How soon to work on it. [default: medium]")
@click.option("--body", help="What happens, or what is wanted, in Markdown.")
@reporter_options
@pass_session
def file_signal(
    session: Session,
    title: str,
    kind: str,
    priority: str | None,
    body: str | None,
    reporter: dict[str, Any],
) -> None:
    """File a bug or a suggestion."""
    wanted = {"title": title, "kind": kind, "priority": priority, "body": body}
    answer = session.api().post("signals", body=_sent(wanted) | reporter)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Filed {answer['id']}.")


@signals.command()
@click.argument("signal_id", metavar="ID", type=ID)
@reporter_options
@pass_session
def report(
    session: Session,
    signal_id: str,
    reporter: dict[str, Any],
) -> None:
    """Add a reporter: one of --conversation, --customer and --who."""
    answer = session.api().post("signals", signal_id, "reports", body=reporter)
    if session.as_json:
        say_json(answer)
    else:
        count = answer["signal"]["reporterCount"]
        say(f"Reported {signal_id}, which has {count} reporter{'' if count == 1 else 's'} now.")


@signals.command("set")
@click.argument("signal_id", metavar="ID", type=ID)
@click.option("--status", type=_STATUSES, help="`done` sends each reporter a message.")
@click.option("--no-notify", is_flag=True, help="With `--status done`: send no message.")
@click.option("--priority", type=_PRIORITIES, help="How soon to work on it.")
@click.option("--kind", type=_KINDS, help="What it is.")
@click.option("--title", help="Another title.")
@click.option("--body", help="Another text.")
@pass_session
def set_signal(
    session: Session,
    signal_id: str,
    status: str | None,
    priority: str | None,
    kind: str | None,
    title: str | None,
    body: str | None,
    *,
    no_notify: bool,
) -> None:
    """Change a signal: only what you give changes."""
    changes = {"status": status, "priority": priority, "kind": kind, "title": title, "body": body}
    wanted: dict[str, Any] = {**_sent(changes), **({"notify": False} if no_notify else {})}
    answer = session.api().patch("signals", signal_id, body=wanted)
    if session.as_json:
        say_json(answer)
    else:
        one = answer["signal"]
        say(f"{one['id']} is {one['status']}, priority {one['priority']}: {one['title']}")


@signals.command()
@click.argument("signal_id", metavar="ID", type=ID)
@click.argument("duplicate_id", metavar="DUPLICATE", type=ID)
@pass_session
def merge(session: Session, signal_id: str, duplicate_id: str) -> None:
    """Merge a duplicate into the signal ID. The duplicate's reporters and titles move there."""
    answer = session.api().post("signals", signal_id, "merge", body={"duplicateId": duplicate_id})
    if session.as_json:
        say_json(answer)
    else:
        say(f"Merged {duplicate_id} into {signal_id}.")


@signals.command()
@click.argument("signal_id", metavar="ID", type=ID)
@click.option("--team", help="The team of the new issue, by its key or name. [default: the one that is set]")
@click.option("--issue", "identifier", metavar="ENG-12", help="Link this issue instead of opening one.")
@pass_session
def track(session: Session, signal_id: str, team: str | None, identifier: str | None) -> None:
    """Open an issue for a signal in the issue tracker, or link one."""
    wanted = _sent({"team": team, "identifier": identifier})
    answer = session.api().post("signals", signal_id, "tracker", body=wanted)
    if session.as_json:
        say_json(answer)
    elif answer["tracker"] is not None:
        say(f"{signal_id} has the issue {answer['tracker']['identifier']}: {answer['tracker']['url']}")
    else:
        say(f"Linear is asked. The issue appears in seconds: helpdesk signals show {signal_id}")


@signals.command()
@click.argument("signal_id", metavar="ID", type=ID)
@click.argument("number", type=click.IntRange(min=1))
@pass_session
def issue(session: Session, signal_id: str, number: int) -> None:
    """Link an existing issue to the signal ID: its NUMBER in the issue repository."""
    answer = session.api().post("signals", signal_id, "codehost", body={"number": number})
    if session.as_json:
        say_json(answer)
    elif answer["codehost"] is None:
        say(f"GitHub is asked for issue {number}. See in a few seconds: helpdesk signals show {signal_id}")
    else:
        say(f"{signal_id} has the issue {answer['codehost']['url']}.")


def _say_signals(session: Session, answer: dict[str, Any], empty: str) -> None:
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "KIND", "STATUS", "PRIORITY", "REPORTERS", "FILED", "TITLE"),
        [
            (
                one["id"],
                one["kind"],
                one["status"],
                one["priority"],
                one["reporterCount"],
                moment(one["filedAt"]),
                one["title"],
            )
            for one in answer["signals"]
        ],
        empty=empty,
    )


def _sent(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
