"""teams: groups of members that conversations are assigned to."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.api import Api
from helpdesk_cli.framework import Listing
from helpdesk_cli.members import member_id, names
from helpdesk_cli.output import confirmed, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

_members = click.option(
    "--member",
    "members",
    metavar="WHO",
    multiple=True,
    help="A member: a user ID, an e-mail address or a name. Repeat it for more.",
)


@click.group(cls=Listing)
def teams() -> None:
    """Teams: groups of members that conversations are assigned to."""


@teams.command("list")
@pass_session
def list_teams(session: Session) -> None:
    """List the teams and their members."""
    api = session.api()
    answer = api.get("teams")
    if session.as_json:
        say_json(answer)
        return
    known = names(api, (member for one in answer["teams"] for member in one["memberIds"]))
    say_table(
        ("ID", "NAME", "MEMBERS"),
        [
            (one["id"], one["name"], ", ".join(known.get(member, member) for member in one["memberIds"]))
            for one in answer["teams"]
        ],
        empty="There are no teams yet. Create one: helpdesk teams create NAME",
    )


@teams.command()
@click.argument("name")
@_members
@pass_session
def create(session: Session, name: str, *, members: tuple[str, ...]) -> None:
    """Create a team. You need the role admin or owner."""
    api = session.api()
    answer = api.post("teams", body={"name": name, "memberIds": [member_id(api, who) for who in members]})
    session.done(answer, f"Created {answer['name']} ({answer['id']}).")


@teams.command()
@click.argument("team", metavar="ID_OR_NAME")
@click.option("--name", metavar="NEW", help="The new name.")
@_members
@click.option("--no-members", is_flag=True, help="Remove all members.")
@pass_session
def change(
    session: Session, team: str, *, name: str | None, members: tuple[str, ...], no_members: bool
) -> None:
    """Change a team's name or members. The members you pass replace all others."""
    if members and no_members:
        raise click.UsageError("Pass --member or --no-members, not both.")
    if name is None and not members and not no_members:
        raise click.UsageError("Pass --name, --member or --no-members.")
    api = session.api()
    body: dict[str, Any] = {} if name is None else {"name": name}
    if members or no_members:
        body["memberIds"] = [member_id(api, who) for who in members]
    answer = api.patch("teams", team_id(api, team), body=body)
    session.done(answer, f"Changed {answer['name']} ({answer['id']}).")


@teams.command()
@click.argument("team", metavar="ID_OR_NAME")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def delete(session: Session, team: str, *, yes: bool) -> None:
    """Delete a team. Its conversations keep its ID until they are assigned again."""
    api = session.api()
    found = team_id(api, team)
    if not yes and not confirmed(f"Delete the team {team}?"):
        raise Problem("Nothing was deleted.", "Answer y, or use --yes.")
    session.done(api.delete("teams", found), f"Deleted {team}.")


def team_id(api: Api, team: str) -> str:
    """Return a team's ID by ID or name. An ID is not looked up. Raises Problem."""
    if team.startswith("team_"):
        return team
    wanted = team.strip().casefold()
    for one in api.get("teams")["teams"]:
        if one["name"].casefold() == wanted:
            return str(one["id"])
    raise Problem(f"No team is called {team}.", "List the teams: helpdesk teams")
