"""conversations: list the inbox, and show one conversation."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli import follow as following
from helpdesk_cli import times
from helpdesk_cli.api import Api
from helpdesk_cli.commands.teams import team_id
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.members import member_id, names
from helpdesk_cli.output import moment, note, say, say_facts, say_json, say_table
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.text import one_line, safe

_OTHER_FILTERS = {
    "waiting": "Use --waiting for conversations that wait for a person.",
    "snoozed": "Use --snoozed for snoozed conversations.",
    "archived": "Use --archived for archived conversations.",
    "unassigned": "Use --assignee none for unassigned conversations.",
    "closed": "Use --status resolved: a closed conversation is resolved.",
}


_STATUS = click.Choice(["open", "resolved"])


class Status(click.ParamType):
    """The status of a conversation. The error for another filter's word names that filter."""

    name = "status"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Reject what is not a status."""
        other = _OTHER_FILTERS.get(str(value).lower())
        if other is not None:
            self.fail(f"{value!r} is not a status. {other}", param, ctx)
        return _STATUS.convert(value, param, ctx)


@click.group(cls=Listing)
def conversations() -> None:
    """The inbox: read and answer conversations with visitors."""


@conversations.command("list")
@click.option(
    "--status", type=Status(), metavar="[open|resolved]", help="Only conversations with this status."
)
@click.option(
    "--waiting/--not-waiting",
    default=None,
    help="Only conversations in which the visitor waits for a person, or only the others.",
)
@click.option("--mine", is_flag=True, help="Only conversations that are assigned to you.")
@click.option(
    "--assignee",
    metavar="WHO",
    help="Only conversations of this member: a user ID, an e-mail address, a name, me, or none for unassigned ones.",
)
@click.option("--team", metavar="TEAM", help="Only conversations of this team: an ID or a name.")
@click.option("--tag", metavar="TAG", help="Only conversations with this tag.")
@click.option(
    "--channel",
    type=click.Choice(["api", "site", "email", "discord"]),
    help="Only conversations that began there: in an app, on the help site, with a mail or in Discord.",
)
@click.option("--customer", metavar="ID", type=ID, help="Only conversations of this customer.")
@click.option("--search", "text", metavar="WORDS", help="Only conversations that contain all these words.")
@click.option("--snoozed/--not-snoozed", default=None, help="Only snoozed conversations, or only the others.")
@click.option("--archived", is_flag=True, help="Only archived conversations. No other list has them.")
@limit_option
@pass_session
def list_conversations(
    session: Session,
    *,
    status: str | None,
    waiting: bool | None,
    mine: bool,
    assignee: str | None,
    team: str | None,
    tag: str | None,
    channel: str | None,
    customer: str | None,
    text: str | None,
    snoozed: bool | None,
    archived: bool,
    limit: int,
) -> None:
    """List conversations, most recently active first; with --waiting, the longest wait first."""
    if mine and assignee is not None:
        raise click.UsageError("Pass --mine or --assignee, not both.")
    api = session.api()
    filters = {
        "status": status,
        "awaitingHuman": _boolean(waiting),
        "assignee": "me" if mine else assignee and _assignee(api, assignee),
        "team": team and team_id(api, team),
        "customerId": customer,
        "tag": tag,
        "channel": channel,
        "q": text,
        "snoozed": _boolean(snoozed),
        "archived": _boolean(archived or None),
        "sort": "waitingSince" if waiting and text is None and not archived else None,
    }
    answer = api.listed("conversations", name="conversations", limit=limit, **filters)
    if session.as_json:
        say_json(answer)
        return
    known = names(api, (one["assignee"] for one in answer["conversations"]))
    filtered = any(value is not None for value in filters.values())
    say_table(
        ("ID", "STATUS", "WAITING", "ASSIGNEE", "CUSTOMER", "ACTIVE", "SUBJECT"),
        [
            (
                one["id"],
                _status(one),
                _wait(one, session.now()),
                known.get(one["assignee"], one["assignee"]),
                one["customer"]["name"] or one["customer"]["email"],
                f"{_age(one, session.now())} ago",
                one["subject"],
            )
            for one in answer["conversations"]
        ],
        empty="No conversations match." if filtered else "There are no conversations yet.",
    )


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@click.argument("message_id", metavar="MESSAGE", type=ID)
@pass_session
def source(session: Session, conversation_id: str, message_id: str) -> None:
    """Print where the whole mail of a message can be downloaded, for five minutes.

    The address contains a credential. Mails are kept for 30 days.
    """
    answer = session.api().get("conversations", conversation_id, "messages", message_id, "source")
    if session.as_json:
        say_json(answer)
    else:
        say(answer["url"])


@conversations.command()
@click.argument("conversation_id", metavar="ID", type=ID)
@limit_option
@pass_session
def show(session: Session, conversation_id: str, limit: int) -> None:
    """Show a conversation and its newest entries, oldest first."""
    api = session.api()
    answer = _thread(api, conversation_id, limit)
    if session.as_json:
        say_json(answer)
        return
    one = answer["conversation"]
    assignee, rating = one["assignee"], one["rating"]
    name = names(api, [assignee]).get(assignee)
    say_facts(
        [
            ("Subject", one["subject"]),
            ("ID", one["id"]),
            ("Status", one["status"]),
            ("Channel", one.get("channel")),
            ("Handled by", one["handledBy"]),
            ("Awaiting human", one["awaitingHuman"]),
            ("Waiting since", moment(one["waitingSince"])),
            ("Pending calls", one["pendingApprovals"] or None),
            ("Assignee", f"{name} ({assignee})" if name else assignee),
            ("Team", one.get("team")),
            ("Tags", ", ".join(one.get("tags", ())) or None),
            ("Due", _due(one)),
            ("Snoozed until", moment(one["snoozedUntil"])),
            ("Archived", moment(one["archivedAt"])),
            ("Merged into", one.get("mergedInto")),
            ("Rating", f"{rating} of 5 stars" if rating is not None else None),
            ("Customer", one["customer"]["name"]),
            ("E-mail", one["customer"]["email"]),
            ("Customer ID", one["customer"]["id"]),
            ("Page", (one["page"] or {}).get("url")),
            ("Started", moment(one["startedAt"])),
            ("Last message", moment(one["lastMessageAt"])),
            ("Newest message", one.get("lastMessageId")),
            ("Console", session.console("conversations", one["id"])),
        ]
    )
    if answer["nextCursor"] is not None:
        say(f"\n(older entries are not shown; raise --limit, now {limit})")
    for entry in answer["messages"]:
        _say_entry(entry, one["customer"])


@conversations.command()
@pass_session
def watch(session: Session) -> None:
    """Print each conversation that waits for a person, and each that begins to, until Ctrl-C.

    With --json, each is one line.
    """
    api = session.api()
    try:
        for one in following.waiting(
            api, "conversations", sleep=session.sleep, on_wait=note, awaitingHuman="true", snoozed="false"
        ):
            if session.as_json:
                say_json(one, indent=None)
                continue
            who = one["customer"]["name"] or one["customer"]["email"] or "Visitor"
            say(one_line(f"{one['id']}  {moment(one['lastMessageAt'])}  {who}: {one['subject']}"))
    except KeyboardInterrupt:
        return


def _assignee(api: Api, who: str) -> str:
    return who if who in {"me", "none"} else member_id(api, who)


def _wait(conversation: dict[str, Any], now: float) -> str:
    """Return how long a conversation, or a call in it, has waited for the team; "no" if none does."""
    since = conversation["waitingSince"]
    return "no" if since is None else times.age(now - since / 1000)


def _age(conversation: dict[str, Any], now: float) -> str:
    """Return how long ago the last message was written."""
    return times.age(now - conversation["lastMessageAt"] / 1000)


def _due(conversation: dict[str, Any]) -> str | None:
    if conversation.get("dueAt") is None:
        return None
    return f"{moment(conversation['dueAt'])}{' (overdue)' if conversation['overdue'] else ''}"


def _boolean(value: object) -> str | None:
    return None if value is None else str(value).lower()


def _status(conversation: dict[str, Any]) -> str:
    marks = ["unread"] if conversation.get("unread") else []
    marks += [
        mark
        for mark, since in (("snoozed", "snoozedUntil"), ("archived", "archivedAt"))
        if conversation[since] is not None
    ]
    return f"{conversation['status']} ({', '.join(marks)})" if marks else str(conversation["status"])


def _thread(api: Api, conversation_id: str, limit: int) -> dict[str, Any]:
    """Return the conversation with its newest entries. Each further page is older and goes first."""
    messages: list[Any] = []
    page: dict[str, Any] = {}
    for page in api.pages("conversations", conversation_id, name="messages", limit=limit):
        messages = [*page["messages"], *messages]
    return {**page, "messages": messages}


def _say_entry(entry: dict[str, Any], customer: dict[str, Any]) -> None:
    """Write an entry. Its text is indented, so that no visitor can write what looks like another entry."""
    say(f"\n{moment(entry['createdAt'])}  {one_line(_author(entry, customer))}", bold=True)
    mail = entry.get("mail")
    if mail is not None:
        unverified = "" if mail["isVerified"] else " (unverified: anyone can have written it)"
        say(f"  [mail from {one_line(mail['address'])}{unverified}: {one_line(mail['subject'])}]")
    for line in safe(entry["body"]).splitlines():
        say(f"  {line}".rstrip())
    if entry.get("mailed") is not None:
        say(f"  [mail: {entry['mailed']}]")
    for page in entry["found"]:
        say(f"  {page['score']:.0%} {one_line(page['title'])}  {one_line(page['url'] or '')}".rstrip())
    for attachment in entry["attachments"]:
        say(f"  [{one_line(attachment['name'])}]  {one_line(attachment['url'])}")


def _author(entry: dict[str, Any], customer: dict[str, Any]) -> str:
    """Return who wrote an entry, and as what: the visitor, the agent, a teammate or the system."""
    if entry["kind"] == "system":
        return "System"
    if entry["agent"] is None:
        return f"{customer['name'] or customer['email'] or 'Visitor'} (visitor)"
    if entry["kind"] == "note":
        return f"{entry['agent']['name']} (internal note)"
    return f"{entry['agent']['name']} ({'agent' if entry['agent']['kind'] == 'ai' else 'teammate'})"
