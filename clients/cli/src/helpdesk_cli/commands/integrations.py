"""integrations: connected services, mirrored repositories, and where issues and conversations go."""

from __future__ import annotations

import contextlib
from typing import Any
from urllib.parse import quote

import click

from helpdesk_cli.framework import Listing, Settings
from helpdesk_cli.output import confirmed, moment, say, say_facts, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

_APP = click.Choice(["codehost", "chatmirror", "chatcommunity", "tracker"])
_SWITCH = click.Choice(["on", "off"])


@click.group(cls=Listing)
def integrations() -> None:
    """Services that the organization is connected to."""


@integrations.command("list")
@pass_session
def list_integrations(session: Session) -> None:
    """List the services, and which accounts are connected."""
    answer = session.api().get("integrations")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("APP", "STATUS", "ACCOUNT", "CONNECTED", "BY", "PROBLEM"),
        [
            (
                one["app"],
                one["status"].replace("_", " "),
                one["account"],
                moment(one["connectedAt"]),
                one["connectedByName"],
                one["problem"],
            )
            for one in answer["integrations"]
        ],
        empty="This service has no integrations.",
    )


@integrations.command()
@click.argument("app", type=_APP)
@click.option("--no-browser", is_flag=True, help="Show the address without opening it.")
@pass_session
def connect(session: Session, app: str, *, no_browser: bool) -> None:
    """Open the page on which an admin connects an account to your current organization.

    For codehost the page also connects an account that has the GitHub App already.
    """
    organization = session.api().get("organization")["id"]
    address = f"{session.base_url()}/v1/connect/{app}?organization={quote(organization)}"
    if session.as_json:
        say_json({"url": address})
    else:
        say(f"Connect {app} in a browser: {address}")
    if not no_browser:
        with contextlib.suppress(Exception):  # the address is printed; opening a browser is optional
            session.open_browser(address)


@integrations.command()
@click.argument("app", type=_APP)
@click.option("--account", help="Only this account. [default: every account of the app]")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def disconnect(session: Session, app: str, account: str | None, *, yes: bool) -> None:
    """End the connections of an app. What it brought stays."""
    what = app if account is None else f"{account} of {app}"
    if not yes and not confirmed(f"Disconnect {what}? Its tokens are deleted; what it brought stays."):
        raise Problem("Nothing was disconnected.", "Answer y, or use --yes.")
    session.done(session.api().delete("integrations", app, account=account), f"Disconnected {what}.")


@integrations.group(cls=Listing)
def repos() -> None:
    """Repositories whose Markdown files are documents."""


@repos.command("list")
@pass_session
def list_repos(session: Session) -> None:
    """List the mirrored repositories with the results of their latest syncs."""
    answer = session.api().get("integrations", "repos")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("REPO", "BRANCH", "PATH", "STATUS", "DOCUMENTS", "COMMIT", "LAST SYNC", "PROBLEM"),
        [
            (
                one["repo"],
                one["branch"],
                one["path"],
                one["status"],
                one["documents"],
                (one["commit"] or "")[:12],
                moment(one["lastSyncAt"]),
                one["problem"],
            )
            for one in answer["repos"]
        ],
        empty="No repository is mirrored. Add one: helpdesk integrations repos add OWNER/REPO",
    )


@repos.command()
@click.argument("repo", metavar="OWNER/REPO")
@click.option("--branch", help="[default: the repository's default branch]")
@click.option("--path", help="One folder. [default: the whole tree]")
@click.option("--published-at", help="The public address of the files, for links in answers.")
@pass_session
def add(session: Session, repo: str, branch: str | None, path: str | None, published_at: str | None) -> None:
    """Mirror a repository of a connected account. The first sync begins at once."""
    given = {"branch": branch, "path": path, "publishedAt": published_at}
    body = {"repo": repo, **{name: value for name, value in given.items() if value is not None}}
    answer = session.api().post("integrations", "repos", body=body)
    session.done(answer, f"Mirroring {answer['repo']}. See how far it is: helpdesk integrations repos")


@repos.command("set")
@click.argument("repo", metavar="OWNER/REPO")
@click.option("--branch", help='Another branch; "" for the default branch.')
@click.option("--path", help='Another folder; "" for the whole tree.')
@click.option("--published-at", help='Another public address of the files; "" for none.')
@pass_session
def set_repo(
    session: Session, repo: str, branch: str | None, path: str | None, published_at: str | None
) -> None:
    """Change the branch, folder or public address of a mirror, and sync it. Its documents stay."""
    given = {"branch": branch, "path": path, "publishedAt": published_at}
    changes = {name: value or None for name, value in given.items() if value is not None}
    if not changes:
        raise click.UsageError("Use --branch, --path or --published-at.")
    answer = session.api().patch("integrations", "repos", body={"repo": repo, **changes})
    session.done(answer, f"Changed {answer['repo']}. See how far it is: helpdesk integrations repos")


@repos.command()
@click.argument("repo", metavar="OWNER/REPO")
@pass_session
def sync(session: Session, repo: str) -> None:
    """Sync a mirrored repository now."""
    answer = session.api().post("integrations", "repos", "sync", body={"repo": repo})
    session.done(answer, f"Syncing {repo}. See how far it is: helpdesk integrations repos")


@repos.command()
@click.argument("repo", metavar="OWNER/REPO")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def remove(session: Session, repo: str, *, yes: bool) -> None:
    """End the mirror of a repository. Its documents are deleted."""
    if not yes and not confirmed(f"End the mirror of {repo}? Its documents are deleted."):
        raise Problem("Nothing was removed.", "Answer y, or use --yes.")
    session.done(session.api().delete("integrations", "repos", repo=repo), f"Removed {repo}.")


@integrations.group("issue-repo", cls=Settings)
def issue_repo() -> None:
    """The repository in which issues of signals are opened."""


@issue_repo.command("show")
@pass_session
def show_issue_repo(session: Session) -> None:
    """Show the repository of issues."""
    answer = session.api().get("integrations", "issue-repo")
    if session.as_json:
        say_json(answer)
        return
    opened = "as a signal is filed" if answer["autoCreate"] else "not by themselves"
    facts = [("repo", answer["repo"] or "none"), ("issues are opened", opened)]
    say_facts([*facts, ("problem", answer["problem"])])


@issue_repo.command("set")
@click.argument("repo", metavar="[OWNER/REPO]", required=False)
@click.option("--auto-create", type=_SWITCH, help="Whether an issue is opened as a signal is filed.")
@pass_session
def set_issue_repo(session: Session, repo: str | None, auto_create: str | None) -> None:
    """Set the repository of issues, or whether they are opened by themselves."""
    body: dict[str, Any] = {} if repo is None else {"repo": repo}
    body |= {} if auto_create is None else {"autoCreate": auto_create == "on"}
    if not body:
        raise click.UsageError("Name a repository, or use --auto-create.")
    answer = session.api().post("integrations", "issue-repo", body=body)
    session.done(answer, f"Issues go to {answer['repo']}.")


@integrations.group(cls=Settings)
def chatmirror() -> None:
    """The channel of Slack in which conversations appear."""


@chatmirror.command("show")
@pass_session
def show_chatmirror(session: Session) -> None:
    """Show the channel of conversations."""
    answer = session.api().get("integrations", "chatmirror")
    if session.as_json:
        say_json(answer)
        return
    say_facts(
        [
            ("channel", f"#{answer['channel']}" if answer["channel"] else "none"),
            ("on", "yes" if answer["enabled"] else "no"),
            ("mode", answer["mode"].replace("_", " ")),
            ("problem", answer["problem"]),
        ]
    )


@chatmirror.command("set")
@click.option("--channel", help="The channel's name, with or without #.")
@click.option("--enabled", type=_SWITCH, help="Whether conversations appear in the channel.")
@click.option(
    "--mode", type=click.Choice(["alerts", "two_way"]), help="Whether replies in a thread reach customers."
)
@pass_session
def set_chatmirror(session: Session, channel: str | None, enabled: str | None, mode: str | None) -> None:
    """Name the channel of conversations, or change how it is used."""
    body: dict[str, Any] = {} if channel is None else {"channel": channel}
    body |= {} if enabled is None else {"enabled": enabled == "on"}
    body |= {} if mode is None else {"mode": mode}
    if not body:
        raise click.UsageError("Say what to change: --channel, --enabled or --mode.")
    answer = session.api().patch("integrations", "chatmirror", body=body)
    session.done(answer, f"Conversations go to #{answer['channel']}." if channel else "Saved.")


@integrations.group(cls=Settings)
def tracker() -> None:
    """The team of Linear in which issues of signals are opened."""


@tracker.command("show")
@pass_session
def show_tracker(session: Session) -> None:
    """Show the team of issues, the states of its workflow, and the teams that there are."""
    answer = session.api().get("integrations", "tracker")
    if session.as_json:
        say_json(answer)
        return
    states = {name: state for name, state in answer["states"].items() if state is not None}
    say_facts(
        [
            ("team", answer["team"] or "none"),
            ("issues are opened", "as a signal is filed" if answer["autoCreate"] else "not by themselves"),
            ("states", ", ".join(f"{name}={state}" for name, state in states.items()) or None),
            ("teams", ", ".join(f"{one['key']} ({one['name']})" for one in answer["teams"]) or "none yet"),
            ("problem", answer["problem"]),
        ]
    )


@tracker.command("set")
@click.option("--team", help="The team in which issues are opened, by its key or name.")
@click.option("--auto-create", type=_SWITCH, help="Whether an issue is opened as a signal is filed.")
@click.option(
    "--state", multiple=True, metavar="STATUS=STATE", help="A state for a status, as in inReview=Review."
)
@pass_session
def set_tracker(session: Session, team: str | None, auto_create: str | None, state: tuple[str, ...]) -> None:
    """Set the team of issues, its states, or whether issues are opened by themselves."""
    pairs = [one.partition("=") for one in state]
    if any(not name or not sign for name, sign, _ in pairs):
        raise click.UsageError("Write --state as STATUS=STATE, as in --state inReview=Review.")
    body: dict[str, Any] = {} if team is None else {"team": team}
    body |= {} if auto_create is None else {"autoCreate": auto_create == "on"}
    body |= {"states": {name: named for name, _, named in pairs}} if pairs else {}
    if not body:
        raise click.UsageError("Say what to change: --team, --auto-create or --state.")
    answer = session.api().patch("integrations", "tracker", body=body)
    session.done(answer, f"Issues go to {answer['team']}." if answer["team"] else "Saved.")


@integrations.group(cls=Settings)
def chatcommunity() -> None:
    """The channel of Discord in which alerts appear, and whom they mention."""


@chatcommunity.command("show")
@pass_session
def show_chatcommunity(session: Session) -> None:
    """Show the channel of alerts."""
    answer = session.api().get("integrations", "chatcommunity")
    if session.as_json:
        say_json(answer)
        return
    say_facts(
        [
            ("channel", f"#{answer['channel']}" if answer["channel"] else "none"),
            ("role", f"@{answer['role']}" if answer["role"] else "none"),
            ("on", "yes" if answer["enabled"] else "no"),
            ("problem", answer["problem"]),
        ]
    )


@chatcommunity.command("set")
@click.option("--channel", help="The channel's name, with or without #, or its ID.")
@click.option("--role", help="The role that alerts mention, with or without @, or its ID.")
@click.option("--no-role", is_flag=True, help="Let alerts mention nobody.")
@click.option("--enabled", type=_SWITCH, help="Whether alerts appear in the channel.")
@pass_session
def set_chatcommunity(
    session: Session, channel: str | None, role: str | None, enabled: str | None, *, no_role: bool
) -> None:
    """Name the channel of alerts and the role that they mention."""
    if role is not None and no_role:
        raise click.UsageError("Use --role or --no-role, not both.")
    body: dict[str, Any] = {} if channel is None else {"channel": channel}
    body |= {"role": role} if role is not None or no_role else {}
    body |= {} if enabled is None else {"enabled": enabled == "on"}
    if not body:
        raise click.UsageError("Say what to change: --channel, --role, --no-role or --enabled.")
    answer = session.api().patch("integrations", "chatcommunity", body=body)
    session.done(answer, f"Alerts go to #{answer['channel']}." if channel else "Saved.")
