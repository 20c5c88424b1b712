"""customers: list, create, update, export and erase customers."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from helpdesk_cli.api import LARGEST_PAGE, Api
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, say, say_facts, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session


@click.group(cls=Listing)
def customers() -> None:
    """Customers."""


@customers.command("list")
@click.option(
    "--search", "text", help="Only customers whose name or e-mail address contains all these words."
)
@limit_option
@pass_session
def list_customers(session: Session, text: str | None, limit: int) -> None:
    """List customers, newest first."""
    answer = session.api().listed("customers", name="customers", limit=limit, q=text)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "NAME", "E-MAIL", "CREATED"),
        [(one["id"], one["name"], one["email"], moment(one["createdAt"])) for one in answer["customers"]],
        empty="No customers match." if text else "There are no customers yet.",
    )


def _profile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say something about a customer."""
    for option in (
        click.option(
            "--metadata",
            "pairs",
            multiple=True,
            metavar="KEY=VALUE",
            help="A fact. Give it once for each fact.",
        ),
        click.option("--avatar-url", help="An https address of a picture."),
        click.option("--email", help="Their e-mail address. It is not verified."),
        click.option("--name", help="Their name."),
    ):
        command = option(command)
    return command


@customers.command("create")
@_profile_options
@pass_session
def create_customer(
    session: Session, name: str | None, email: str | None, avatar_url: str | None, pairs: tuple[str, ...]
) -> None:
    """Create a customer who has not written."""
    said = _profile(name, email, avatar_url, pairs)
    if not said:
        raise Problem(
            "Nothing is said about the customer.", "Give at least one of --name, --email and --metadata."
        )
    answer = session.api().post("customers", body=said)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Created customer {answer['id']}.")


@customers.command("update")
@click.argument("customer_id", metavar="ID", type=ID)
@_profile_options
@pass_session
def update_customer(
    session: Session,
    customer_id: str,
    name: str | None,
    email: str | None,
    avatar_url: str | None,
    pairs: tuple[str, ...],
) -> None:
    """Update a customer's record. An empty text removes a field; facts replace all stored facts."""
    said = _profile(name, email, avatar_url, pairs)
    if not said:
        raise Problem("Nothing is to be changed.", "Give at least one of --name, --email and --metadata.")
    answer = session.api().patch("customers", customer_id, body=said)
    if session.as_json:
        say_json(answer)
        return
    one = answer["customer"]
    facts = [("ID", one["id"]), ("Name", one["name"]), ("E-mail", one["email"]), ("Avatar", one["avatarUrl"])]
    if not one.get("mailNotices", True):
        facts.append(("Notices", "unsubscribed"))
    say_facts([*facts, *one["metadata"].items()])


@customers.command()
@click.argument("customer_id", metavar="ID", type=ID)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to create; only you can read it. [default: <ID>.json]",
)
@pass_session
def export(session: Session, customer_id: str, output: Path | None) -> None:
    """Write all data of a customer to one JSON file."""
    whole = _whole(session.api(), customer_id)
    path = output or Path(f"{customer_id}.json")
    _create(
        path, json.dumps(whole, indent=2, ensure_ascii=False) + "\n", "Choose another file with --output."
    )
    entries = sum(len(one["messages"]) for one in whole["conversations"])
    written = {"file": str(path), "conversations": len(whole["conversations"]), "entries": entries}
    if session.as_json:
        say_json(written)
    else:
        say(f"Wrote {written['conversations']} conversations with {entries} entries to {path}.")


@customers.command("csv")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--search", "text", help="Only customers whose name or e-mail address contains all these words."
)
@pass_session
def export_csv(session: Session, path: Path, text: str | None) -> None:
    """Write all customers to a CSV file that only you can read, for spreadsheets."""
    whole = "".join(session.api().csv("customers", q=text, limit=LARGEST_PAGE if text else None))
    _create(path, whole, "Choose another file.")
    count = sum(1 for _ in csv.reader(io.StringIO(whole, newline=""))) - 1
    if session.as_json:
        say_json({"file": str(path), "customers": count})
    else:
        say(f"Wrote {count} customers to {path}.")


@customers.command()
@click.argument("customer_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def erase(session: Session, customer_id: str, *, yes: bool) -> None:
    """Erase a customer and all their data. This cannot be undone."""
    api = session.api()
    customer_id = api.whole(customer_id)
    if not yes and not confirmed(
        f"Erase {customer_id} with all conversations, notes, files and ratings? This cannot be undone."
    ):
        raise Problem("Nothing was erased.", "Answer y, or use --yes.")
    answer = api.delete("customers", customer_id)
    if session.as_json:
        say_json(answer)
        return
    erasure = answer["receipt"]["id"]
    say(f"Started erasure {erasure}. Its receipt: helpdesk customers receipt {erasure}")


@customers.command()
@click.argument("erasure_id", metavar="ID", type=ID)
@pass_session
def receipt(session: Session, erasure_id: str) -> None:
    """Show the receipt of an erasure."""
    answer = session.api().get("erasures", erasure_id)
    if session.as_json:
        say_json(answer)
        return
    one = answer["receipt"]
    facts = [
        ("ID", one["id"]),
        ("Customer", one["customerId"]),
        ("Requested", moment(one["requestedAt"])),
        ("Finished", moment(one["finishedAt"])),
    ]
    say_facts([*facts, *((kind.capitalize(), number) for kind, number in (one["counts"] or {}).items())])


def _create(path: Path, text: str, hint: str) -> None:
    """Write a new file that only this user can read. Errors: Problem, with the hint."""
    try:
        created = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(created, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise Problem(f"Cannot write {path}: {error.strerror}.", hint) from None


def _profile(
    name: str | None, email: str | None, avatar_url: str | None, pairs: tuple[str, ...]
) -> dict[str, Any]:
    """Return what was said about a customer, as the API takes it."""
    said: dict[str, Any] = {"name": name, "email": email, "avatarUrl": avatar_url}
    if pairs:
        said["metadata"] = dict(map(_fact, pairs))
    return {field: value for field, value in said.items() if value is not None}


def _fact(pair: str) -> tuple[str, str]:
    key, equals, value = pair.partition("=")
    if not key or not equals:
        raise Problem(f"{pair} is not a fact.", "Write it as KEY=VALUE: --metadata plan=pro")
    return key, value


_OF_A_CONVERSATION = ("messages", "ratings", "suggestedQuestions", "approvals", "threads")


def _whole(api: Api, customer_id: str) -> dict[str, Any]:
    """Return an export as one object. A conversation that spans pages is put together again."""
    whole: dict[str, Any] = {"customer": None, "facts": [], "reports": [], "conversations": []}
    by_id: dict[str, dict[str, Any]] = {}
    for page in _pages(api, customer_id):
        whole["customer"] = whole["customer"] or page["customer"]
        whole["facts"] += page["facts"]
        whole["reports"] += page.get("reports", [])
        for part in page["conversations"]:
            one = by_id.setdefault(
                part["conversation"]["id"],
                {**part["conversation"], **{name: [] for name in _OF_A_CONVERSATION}},
            )
            for name in _OF_A_CONVERSATION:
                one[name] += part.get(name, [])
    whole["conversations"] = list(by_id.values())
    return whole


def _pages(api: Api, customer_id: str) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        page = api.get("customers", customer_id, "export", limit=LARGEST_PAGE, cursor=cursor)
        yield page
        cursor = page["nextCursor"]
        if cursor is None:
            return
