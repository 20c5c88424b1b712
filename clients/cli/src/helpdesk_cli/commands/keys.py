"""keys: the organization's secret keys."""

from __future__ import annotations

import click

from helpdesk_cli.framework import ID, Listing
from helpdesk_cli.output import confirmed, moment, note, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session


@click.group(cls=Listing)
def keys() -> None:
    """Secret keys for servers."""


@keys.command("list")
@pass_session
def list_keys(session: Session) -> None:
    """List the secret keys, including revoked ones."""
    answer = session.api().get("keys")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "NAME", "ENDS IN", "CREATED", "BY", "LAST USED", "REVOKED"),
        [
            (
                one["id"],
                one["name"],
                one["hint"],
                moment(one["createdAt"]),
                one["createdByName"],
                moment(one["lastUsedAt"]),
                moment(one["revokedAt"]),
            )
            for one in answer["keys"]
        ],
        empty="There are no secret keys yet. Create one: helpdesk keys create NAME",
    )


@keys.command()
@click.argument("name")
@pass_session
def create(session: Session, name: str) -> None:
    """Create a secret key. The key is written to stdout and is shown only once."""
    answer = session.api().post("keys", body={"name": name})
    note(f"Created {answer['id']}. The key is shown only once. Store it as a secret.")
    if session.as_json:
        say_json(answer)
    else:
        say(answer["key"])


@keys.command()
@click.argument("key_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def revoke(session: Session, key_id: str, *, yes: bool) -> None:
    """Revoke a secret key. Webhooks that it signs still arrive, but no longer verify."""
    api = session.api()
    key_id = api.whole(key_id)
    question = f"Revoke {key_id}? Requests with it fail at once, and webhooks that it signs no longer verify."
    if not yes and not confirmed(question):
        raise Problem("Nothing was revoked.", "Answer y, or use --yes.")
    answer = api.delete("keys", key_id)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Revoked {key_id}.")
