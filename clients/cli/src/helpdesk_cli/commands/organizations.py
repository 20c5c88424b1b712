"""org: the organizations you belong to, and your current one."""

from __future__ import annotations

import contextlib

import click

from helpdesk_cli.api import Api
from helpdesk_cli.framework import Listing
from helpdesk_cli.output import moment, note, say, say_facts, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session


@click.group(cls=Listing)
def org() -> None:
    """Organizations you belong to."""


@org.command("list")
@pass_session
def list_organizations(session: Session) -> None:
    """List the organizations you belong to. The current one is marked with *."""
    me = session.api().get("me")
    if session.as_json:
        say_json({"organizations": me["organizations"]})
        return
    current = (me["organization"] or {}).get("id")
    say_table(
        ("", "SLUG", "NAME", "ROLE", "ID"),
        [
            ("*" if one["id"] == current else " ", one["slug"], one["name"], one["role"], one["id"])
            for one in me["organizations"]
        ],
        empty="You do not belong to an organization yet. Create one: helpdesk org create --name NAME --slug SLUG",
    )


@org.command()
@click.argument("slug_or_id")
@pass_session
def use(session: Session, slug_or_id: str) -> None:
    """Choose an organization, if you chose none when you logged in. For another one, log in again."""
    api = session.api()
    mine = api.get("me")["organizations"]
    found = next((one for one in mine if slug_or_id in {one["id"], one["slug"]}), None)
    if found is None:
        known = ", ".join(one["slug"] for one in mine) or "none"
        raise Problem(f"You do not belong to an organization {slug_or_id}.", f"Your organizations: {known}.")
    answer = api.post("me", "organization", body={"organizationId": found["id"]})
    if session.as_json:
        say_json(answer)
    else:
        say(f"Switched to {found['name']} ({found['slug']}). Your role: {found['role']}.")


@org.command()
@click.option("--name", required=True, help="The name that customers see.")
@click.option("--slug", required=True, help="3 to 32 lowercase letters, digits and single dashes.")
@pass_session
def create(session: Session, name: str, slug: str) -> None:
    """Create an organization that you own."""
    api = session.api()
    answer = api.post("organizations", body={"name": name, "slug": slug})
    if session.as_json:
        say_json(answer)
        return
    made = f"Created {answer['slug']} ({answer['id']})"
    try:
        switched = (api.get("me")["organization"] or {}).get("id") == answer["id"]
    except Problem:  # the organization is there
        say(f"{made}.")
        return
    if not switched:
        say(f"{made}. Your login stays in its organization. To act in the new one: helpdesk login")
        return
    say(f"{made} and switched to it. Next: helpdesk keys create NAME")
    with contextlib.suppress(Problem):
        _note_plan(api, answer["id"])


def _note_plan(api: Api, organization_id: str) -> None:
    """Write which plan the organization has, and what it allows."""
    plan, limits = api.get("organization")["plan"], api.get("billing", "limits")
    allowed = [f"{limits['knowledge']['documents']['limit']:,} documents"]
    if limits["limits"] is not None:
        allowed += [f"{one['perMinute']:,} {name}s a minute" for name, one in limits["limits"].items()]
    note(
        f"Its plan is {plan}: {', '.join(allowed)}. The operator of the service changes the plan: "
        f"scripts.admin set-plan {organization_id} --plan PLAN"
    )


def _after_minutes(minutes: int) -> str:
    return f"after {minutes} minutes" if minutes else "never"


@org.command()
@pass_session
def show(session: Session) -> None:
    """Show the current organization and its settings."""
    answer = session.api().get("organization")
    if session.as_json:
        say_json(answer)
        return
    say_facts(
        [
            ("Name", answer["name"]),
            ("Slug", answer["slug"]),
            ("ID", answer["id"]),
            ("Plan", answer["plan"]),
            ("Tier", answer["tier"]),
            ("Attribution mark", answer["showBranding"]),
            ("Receives mail at", answer["mailAddress"]),
            ("Support e-mail", answer["supportEmail"]),
            ("Support e-mail to confirm", answer.get("pendingSupportEmail")),
            ("Retention days", answer["retentionDays"]),
            ("Unread answers are mailed", _after_minutes(answer["unreadMailMinutes"])),
            ("Board", answer["boardUrl"]),
            ("Task key prefix", answer["taskKeyPrefix"]),
            ("Publishable key", answer["publishableKey"]),
            ("Created", moment(answer["createdAt"])),
        ]
    )
