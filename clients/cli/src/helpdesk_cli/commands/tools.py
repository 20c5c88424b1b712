"""tools: the servers that declare tools, and the tools that the agent may call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import as_json, confirmed, moment, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session


@click.group(cls=Listing)
def tools() -> None:
    """Tools that the agent may call, and the servers that declare them."""


@tools.command("list")
@limit_option
@pass_session
def list_tools(session: Session, limit: int) -> None:
    """List the tools, by name."""
    answer = session.api().listed("tools", name="tools", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("NAME", "TITLE", "RISK", "IDENTITY", "ENABLED", "CHANGE", "ENDPOINT"),
        [
            (
                one["name"],
                one["title"],
                one["risk"],
                "required" if one["requiresIdentity"] else None,
                _enabled(one),
                "waits" if one["changeId"] else None,
                one["endpointId"],
            )
            for one in answer["tools"]
        ],
        empty="There are no tools yet. Add a server that declares some: helpdesk tools add URL",
    )


def _enabled(tool: dict[str, Any]) -> str:
    if not tool.get("inForce", True):
        return "not yet"  # it waits for an admin as a whole
    if tool["enabled"] and not tool.get("offered", True):
        return "yes, but left out"  # too many tools for one request of the model
    return "yes" if tool["enabled"] else "no"


@tools.command()
@pass_session
def endpoints(session: Session) -> None:
    """List the servers with the results of their latest syncs, and the changes that wait."""
    answer = session.api().get("tool-endpoints")
    if session.as_json:
        say_json(answer)
        return
    found = answer["toolEndpoints"]
    say_table(
        ("ID", "STATUS", "TOOLS", "LAST SYNC", "KEY", "URL", "PROBLEM"),
        [
            (
                one["id"],
                one["status"],
                len(one["tools"]),
                moment(one["lastSyncAt"]),
                one["keyId"],
                one["url"],
                one["problem"],
            )
            for one in found
        ],
        empty="There are no tool endpoints yet. Add one: helpdesk tools add URL",
    )
    for one in answer.get("unreadable", []):
        say(f"{one['id']} cannot be read. Add its URL again, or remove it: helpdesk tools remove {one['id']}")
    waiting = [(one["id"], change) for one in found for change in one["changes"] if change["id"] is not None]
    for endpoint_id, change in waiting:
        what = "was added" if change["kind"] == "added" else "changed"
        fields = f" ({', '.join(change['fields'])})" if change["fields"] else ""
        say(f"{change['tool']} {what}{fields}. Accept it: helpdesk tools accept {endpoint_id} {change['id']}")
    if waiting:
        say("Read first what waits, in `waiting` of each tool: helpdesk tools list --json")


@tools.command()
@click.argument("url")
@pass_session
def add(session: Session, url: str) -> None:
    """Add a server and read its manifest. A URL that is connected already is read again."""
    answer = session.api().put("tool-endpoints", body={"url": url})
    session.done(answer, f"Added {answer['id']}. See what was found: helpdesk tools endpoints")


@tools.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.argument("url")
@pass_session
def move(session: Session, endpoint_id: str, url: str) -> None:
    """Give a server another URL. Its tools, your settings of them and waiting approvals stay."""
    answer = session.api().patch("tool-endpoints", endpoint_id, body={"url": url})
    session.done(answer, f"Moved {endpoint_id}. See what was found: helpdesk tools endpoints")


@tools.command()
@click.option("--url", help="Only the server with this URL. [default: every server]")
@pass_session
def sync(session: Session, url: str | None) -> None:
    """Read the manifests again."""
    if url is not None:
        answer = session.api().post("tool-endpoints", "sync", url=url)
        session.done(answer, "Reading 1 manifest. See what was found: helpdesk tools endpoints")
        return
    answer = session.api().post("tools", "sync")
    count = answer["endpoints"]
    session.done(
        answer,
        f"Reading {count} manifest{'' if count == 1 else 's'}. See what was found: helpdesk tools endpoints",
    )


@tools.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.argument("changes", metavar="CHANGE...", type=ID, nargs=-1, required=True)
@pass_session
def accept(session: Session, endpoint_id: str, changes: tuple[str, ...]) -> None:
    """Accept changes that wait. `tools endpoints` shows them."""
    answer = session.api().post(
        "tool-endpoints", endpoint_id, "changes", "accept", body={"changes": list(changes)}
    )
    session.done(answer, f"Accepted {len(changes)} change{'' if len(changes) == 1 else 's'}.")


@tools.command()
@click.argument("endpoint_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def remove(session: Session, endpoint_id: str, *, yes: bool) -> None:
    """Remove a server and its tools."""
    api = session.api()
    endpoint_id = api.whole(endpoint_id)
    if not yes and not confirmed(
        f"Remove {endpoint_id}? Its tools are removed, and what waits for approval expires."
    ):
        raise Problem("Nothing was removed.", "Answer y, or use --yes.")
    session.done(api.delete("tool-endpoints", endpoint_id), f"Removed {endpoint_id}.")


@tools.command()
@click.argument("name")
@click.option("--input", "text", default="{}", show_default=True, help="The tool's input as JSON.")
@click.option(
    "--input-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="The same, in a file."
)
@click.option("--as", "external_id", help="Your own ID of the customer that it is called for.")
@click.option(
    "--conversation", "conversation_id", type=ID, help="The conversation whose visitor it is called for."
)
@pass_session
def test(
    session: Session,
    name: str,
    text: str,
    input_file: Path | None,
    external_id: str | None,
    conversation_id: str | None,
) -> None:
    """Call a tool once, for real. Exits with 1 if the call did not succeed."""
    body: dict[str, Any] = {"input": _object(input_file.read_text(encoding="utf-8") if input_file else text)}
    body |= {} if external_id is None else {"as": external_id}
    body |= {} if conversation_id is None else {"conversationId": conversation_id}
    answer = session.api().post("tools", name, "test", body=body)
    if session.as_json:
        say_json(answer)
    elif answer["result"] is not None:
        say(as_json(json.loads(answer["result"]), indent=2))
    if not answer["ok"]:
        raise Problem(str(answer["error"]))


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"The input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError("The input must be a JSON object.")
    return value
