"""board add, change and remove: the boards, statuses and tags of the feedback board."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.commands.board import board, require_yes
from helpdesk_cli.framework import ID
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

__all__ = ["board"]  # with the commands below, as the program adds it

_LISTS = {"board": "boards", "status": "statuses", "tag": "tags"}
_SENT = {
    "boards": ("id", "name", "moderated"),
    "statuses": ("id", "name", "signalStatus"),
    "tags": ("id", "name"),
}
_NONE = "none"
_SIGNAL_STATUSES = click.Choice(("open", "planned", "in progress", "in review", "done", "declined", _NONE))
_ENTRY = "The ID of a board, status or tag, from `board show`."

moderated_option = click.option(
    "--moderated/--not-moderated",
    default=None,
    help="Of a board: whether new posts wait until the team makes them public.",
)
signal_status_option = click.option(
    "--signal-status",
    type=_SIGNAL_STATUSES,
    help="Of a status: posts under a signal with this status get it.",
)
before_option = click.option(
    "--before", "before_id", metavar="ID", type=ID, help="Put it before this one. [default: last]"
)


@board.command()
@click.argument("kind", type=click.Choice(list(_LISTS)))
@click.argument("name")
@moderated_option
@signal_status_option
@before_option
@pass_session
def add(
    session: Session,
    kind: str,
    name: str,
    moderated: bool | None,  # noqa: FBT001 - click passes it by name
    signal_status: str | None,
    before_id: str | None,
) -> None:
    """Add a board, a status or a tag."""
    settings = session.api().get("board")
    listed = _LISTS[kind]
    entries = _entries(settings, listed)
    entry = {"name": name, **_of_kind(kind, moderated, signal_status)}
    entries.insert(_place(entries, before_id), entry)
    answer = _save(session, settings, listed, entries)
    known = {each["id"] for each in settings[listed]}
    [made] = [each["id"] for each in answer[listed] if each["id"] not in known]
    session.done(answer, f"Added the {kind} {made}.")


@board.command()
@click.argument("entry_id", metavar="ID", type=ID)
@click.option("--name", help="Another name.")
@moderated_option
@signal_status_option
@click.option("--before", "before_id", metavar="ID", type=ID, help="Put it before this one.")
@click.option("--last", is_flag=True, help="Put it behind all others.")
@pass_session
def change(
    session: Session,
    entry_id: str,
    name: str | None,
    moderated: bool | None,  # noqa: FBT001 - click passes it by name
    signal_status: str | None,
    before_id: str | None,
    *,
    last: bool,
) -> None:
    """Change a board, a status or a tag: its name, its place and what it does. Posts keep it."""
    if before_id is not None and last:
        raise click.UsageError("Use one of --before and --last.")
    settings = session.api().get("board")
    kind = _kind_of(settings, entry_id)
    entries = _entries(settings, _LISTS[kind])
    [entry] = [each for each in entries if each["id"] == entry_id]
    changed = entry | ({} if name is None else {"name": name}) | _of_kind(kind, moderated, signal_status)
    if changed == entry and before_id is None and not last:
        raise click.UsageError("Say what to change; see --help.")
    at = entries.index(entry)
    entries.remove(entry)
    if before_id is not None or last:
        at = _place(entries, before_id)
    entries.insert(at, changed)
    session.done(_save(session, settings, _LISTS[kind], entries), f"Changed the {kind} {entry_id}.")


@board.command()
@click.argument("entry_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def remove(session: Session, entry_id: str, *, yes: bool) -> None:
    """Remove a board or status that no post has, or a tag, which all posts lose."""
    settings = session.api().get("board")
    kind = _kind_of(settings, entry_id)
    listed = _LISTS[kind]
    [named] = [each for each in settings[listed] if each["id"] == entry_id]
    if kind == "tag" and named["posts"] and not yes:
        require_yes(f"Take the tag {named['name']} off {named['posts']} posts, and remove it?")
    entries = [each for each in _entries(settings, listed) if each["id"] != entry_id]
    session.done(_save(session, settings, listed, entries), f"Removed the {kind} {entry_id}.")


def _entries(settings: dict[str, Any], listed: str) -> list[dict[str, Any]]:
    """Return a list of the settings as a change of it is sent."""
    return [{name: each[name] for name in _SENT[listed]} for each in settings[listed]]


def _of_kind(kind: str, moderated: bool | None, signal_status: str | None) -> dict[str, Any]:  # noqa: FBT001
    if moderated is not None and kind != "board":
        raise click.UsageError("--moderated is for boards.")
    if signal_status is not None and kind != "status":
        raise click.UsageError("--signal-status is for statuses.")
    sent: dict[str, Any] = {} if moderated is None else {"moderated": moderated}
    if signal_status is not None:
        sent["signalStatus"] = None if signal_status == _NONE else signal_status
    return sent


def _kind_of(settings: dict[str, Any], entry_id: str) -> str:
    for kind, listed in _LISTS.items():
        if any(each["id"] == entry_id for each in settings[listed]):
            return kind
    raise Problem(f"There is no board, status or tag {entry_id}.", "List them: helpdesk board show")


def _place(entries: list[dict[str, Any]], before_id: str | None) -> int:
    if before_id is None:
        return len(entries)
    for at, each in enumerate(entries):
        if each.get("id") == before_id:
            return at
    raise Problem(
        f"{before_id} is not in the same list.", "--before names another entry; see `helpdesk board show`."
    )


def _save(
    session: Session, settings: dict[str, Any], listed: str, entries: list[dict[str, Any]]
) -> dict[str, Any]:
    # With the version that was read: a change that someone makes at the same moment is not undone.
    return session.api().patch("board", body={listed: entries, "version": settings["version"]})
