"""grants: the programs that have access as you, or to the organization."""

from __future__ import annotations

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

everyones = click.option(
    "--organization",
    is_flag=True,
    help="Those of all members, to this organization. Needs an admin or owner.",
)


@click.group(cls=Listing)
def grants() -> None:
    """Programs that have access as you."""


@grants.command("list")
@everyones
@limit_option
@pass_session
def list_grants(session: Session, limit: int, *, organization: bool) -> None:
    """List the programs that have access as you. The login of this program is marked with *."""
    if organization:
        answer = session.api().listed("grants", name="grants", limit=limit)
    else:
        answer = session.api().get("me", "grants")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("", "ID", "PROGRAM", "MEMBER" if organization else "ORGANIZATION", "SCOPES", "CREATED", "REFRESHED"),
        [
            (
                "*" if one.get("current") else " ",
                one["id"],
                one["clientName"],
                one["userName"] if organization else one["organizationName"],
                " ".join(one["scopes"]),
                moment(one["createdAt"]),
                moment(one["refreshedAt"]),
            )
            for one in answer["grants"]
        ],
        empty="No program has access.",
    )


@grants.command()
@click.argument("grant_id", metavar="ID", type=ID)
@everyones
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def end(session: Session, grant_id: str, *, organization: bool, yes: bool) -> None:
    """End a program's access. Its tokens stop working at once."""
    api = session.api()
    grant_id = api.whole(grant_id)
    if not yes and not confirmed(f"End {grant_id}? The program has to log in again."):
        raise Problem("Nothing was ended.", "Answer y, or use --yes.")
    answer = api.delete(*(() if organization else ("me",)), "grants", grant_id)
    if session.as_json:
        say_json(answer)
    else:
        say(f"Ended {grant_id}.")
