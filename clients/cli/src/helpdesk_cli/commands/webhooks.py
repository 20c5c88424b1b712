"""webhooks: the organization's webhook endpoints."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, note, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

_SENT = (
    "message.created, conversation.created, conversation.updated, bug.created, suggestion.created, signal.updated,"
    " knowledge.suggestion.created"
)
_EVENTS = f"An event type ({_SENT}). Can be repeated."


@click.group(cls=Listing)
def webhooks() -> None:
    """Webhook endpoints."""


@webhooks.command("list")
@pass_session
def list_webhooks(session: Session) -> None:
    """List the endpoints and the status of their deliveries."""
    answer = session.api().get("webhooks")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "STATUS", "LAST DELIVERY", "FAILING SINCE", "KEY", "URL", "EVENTS"),
        [
            (
                one["id"],
                one["status"],
                moment(one["lastDeliveryAt"]),
                moment(one["failingSince"]),
                one["keyId"],
                one["url"],
                one["events"],
            )
            for one in answer["webhooks"]
        ],
        empty="There are no webhook endpoints yet. Add one: helpdesk webhooks add URL --event message.created",
    )


@webhooks.command()
@click.argument("url")
@click.option("--event", "events", multiple=True, help=_EVENTS)
@pass_session
def add(session: Session, url: str, events: tuple[str, ...]) -> None:
    """Add an endpoint. The newest secret key signs its webhooks; the command shows which key that is."""
    if not events:
        raise click.UsageError(f"Pass at least one event with --event: {_SENT}.")
    answer = session.api().post("webhooks", body={"url": url, "events": list(events)})
    session.done(answer, f"Added {answer['id']}.")
    if not session.as_json:
        _say_key(session, answer["id"])


def _say_key(session: Session, endpoint_id: str) -> None:
    """Say which secret key signs. The endpoint exists by now, so a failure here does not fail the command."""
    try:
        listed = session.api().get("webhooks")["webhooks"]
    except Problem:
        note("To see which secret key signs its webhooks: helpdesk webhooks list")
        return
    key = next((one["keyId"] for one in listed if one["id"] == endpoint_id), None)
    if key is not None:
        say(f"Its webhooks are signed with the key {key}: verify them with that key's webhook secret.")


@webhooks.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.option("--url", help="The new URL. Pending retries use it, too.")
@click.option("--event", "events", multiple=True, help=f"{_EVENTS} Replaces the previous list.")
@pass_session
def change(session: Session, endpoint_id: str, url: str | None, events: tuple[str, ...]) -> None:
    """Change an endpoint's URL or events."""
    body: dict[str, Any] = {} if url is None else {"url": url}
    body |= {"events": list(events)} if events else {}
    if not body:
        raise click.UsageError("Pass --url, --event, or both.")
    session.done(session.api().patch("webhooks", endpoint_id, body=body), f"Changed {endpoint_id}.")


@webhooks.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def remove(session: Session, endpoint_id: str, *, yes: bool) -> None:
    """Remove an endpoint and cancel its pending retries."""
    api = session.api()
    endpoint_id = api.whole(endpoint_id)
    if not yes and not confirmed(
        f"Remove {endpoint_id}? It receives nothing more, and its pending retries are canceled."
    ):
        raise Problem("Nothing was removed.", "Answer y, or use --yes.")
    session.done(api.delete("webhooks", endpoint_id), f"Removed {endpoint_id}.")


@webhooks.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@pass_session
def test(session: Session, endpoint_id: str) -> None:
    """Send a test event (webhook.test) to an endpoint."""
    answer = session.api().post("webhooks", endpoint_id, "test")
    session.done(answer, f"Sent {answer['id']}. See its delivery: helpdesk webhooks history {endpoint_id}")


@webhooks.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@limit_option
@pass_session
def history(session: Session, endpoint_id: str, limit: int) -> None:
    """List an endpoint's deliveries of the last 30 days, newest event first."""
    answer = session.api().listed("webhooks", endpoint_id, "deliveries", name="deliveries", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("EVENT", "TYPE", "CREATED", "STATUS", "ATTEMPTS", "LAST ATTEMPT", "RESULT", "NEXT ATTEMPT"),
        [_row(one) for one in answer["deliveries"]],
        empty="There are no deliveries yet. Send one: helpdesk webhooks test ID",
    )


@webhooks.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.argument("event_id", metavar="EVENT", type=ID)
@pass_session
def redeliver(session: Session, endpoint_id: str, event_id: str) -> None:
    """Send an event to an endpoint again. `webhooks history ID` shows the events."""
    answer = session.api().post("webhooks", endpoint_id, "deliveries", event_id, "redeliver")
    session.done(answer, f"Sent {event_id} to {endpoint_id} again.")


def _row(delivery: dict[str, Any]) -> tuple[Any, ...]:
    attempts = delivery["attempts"]
    last = attempts[-1] if attempts else {"at": None, "status": None, "error": None}
    # A response's status says more than the error `status`, which means any status other than 2xx.
    result = last["status"] if last["error"] in {None, "status"} else last["error"]
    return (
        delivery["eventId"],
        delivery["type"],
        moment(delivery["createdAt"]),
        delivery["status"],
        len(attempts),
        moment(last["at"]),
        result,
        moment(delivery["nextAttemptAt"]),
    )
