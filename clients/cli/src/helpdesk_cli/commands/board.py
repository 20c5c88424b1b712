"""board: posts that customers vote for and comment on."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, say, say_facts, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

_STATES = click.Choice(("pending", "public"))
_SORTS = click.Choice(("newest", "votes", "trending"))
_STATUS = "The ID of a status, from `board show`."
_BOARD = "The ID of a board, from `board show`."


@click.group(cls=Listing)
def board() -> None:
    """Posts that customers vote for and comment on."""


@board.command()
@pass_session
def show(session: Session) -> None:
    """Show the boards, statuses and tags, with the numbers of their posts."""
    answer = session.api().get("board")
    if session.as_json:
        say_json(answer)
        return
    rows: list[tuple[Any, ...]] = [
        ("board", one["id"], one["name"], one["public"] + one["pending"] + one["spam"])
        for one in answer["boards"]
    ]
    rows += [("status", one["id"], one["name"], one["posts"]) for one in answer["statuses"]]
    rows += [("tag", one["id"], one["name"], one["posts"]) for one in answer["tags"]]
    say_table(("WHAT", "ID", "NAME", "POSTS"), rows, empty="")


@board.command()
@click.option("--board", "board_id", metavar="ID", type=ID, help="Only posts of this board. [default: all]")
@click.option(
    "--status", "status_id", metavar="ID", type=ID, help="Only posts with this status. [default: all]"
)
@click.option("--tag", "tag_id", metavar="ID", type=ID, help="Only posts with this tag. [default: all]")
@click.option("--state", type=_STATES, help="Only posts in this state. [default: both]")
@click.option("--spam", is_flag=True, help="Posts that are marked as spam.")
@click.option("--sort", type=_SORTS, default="newest", show_default=True, help="The order of the posts.")
@click.option("--search", "words", metavar="WORDS", help="Only posts that have all of these words.")
@limit_option
@pass_session
def posts(
    session: Session,
    board_id: str | None,
    status_id: str | None,
    tag_id: str | None,
    state: str | None,
    spam: bool,  # noqa: FBT001 - click passes it by name
    sort: str,
    words: str | None,
    limit: int,
) -> None:
    """List posts, pinned ones first."""
    answer = session.api().listed(
        "board",
        "posts",
        name="posts",
        limit=limit,
        boardId=board_id,
        statusId=status_id,
        tagId=tag_id,
        state=state,
        isSpam="true" if spam else None,
        sort=sort,
        q=words,
    )
    if session.as_json:
        say_json(answer)
        return
    filtered = any((board_id, status_id, tag_id, state, spam, words))
    say_table(
        ("NUMBER", "ID", "VOTES", "STATUS", "STATE", "CREATED", "TITLE"),
        [
            (
                one["number"],
                one["id"],
                one["votes"],
                one["statusId"],
                one["state"],
                moment(one["createdAt"]),
                one["title"],
            )
            for one in answer["posts"]
        ],
        empty="No posts match." if filtered else "There are no posts yet.",
    )


@board.command()
@click.argument("post_id", metavar="ID", type=ID)
@pass_session
def post(session: Session, post_id: str) -> None:
    """Show a post with its first 200 comments. ID can be its number."""
    one = session.api().get("board", "posts", post_id)
    if session.as_json:
        say_json(one)
        return
    signal = one["signal"]
    facts: list[tuple[str, Any]] = [
        ("ID", one["id"]),
        ("Number", one["number"]),
        ("Board", one["boardId"]),
        ("Status", one["statusId"]),
        ("State", one["state"]),
        ("Votes", one["votes"]),
        ("Author", one["author"]["name"]),
        ("Created", moment(one["createdAt"])),
        *([("Signal", f"{signal['id']} ({signal['status']})")] if signal else []),
        ("Title", one["title"]),
    ]
    say_facts(facts)
    if one["body"]:
        say()
        say(one["body"])
    if one["comments"]:
        say()
        say_table(
            ("WRITTEN", "AUTHOR", "COMMENT"),
            [(moment(each["createdAt"]), each["author"]["name"], each["body"]) for each in one["comments"]],
            empty="",
        )


@board.command()
@click.argument("title")
@click.option("--body", help="The text.")
@click.option("--board", "board_id", metavar="ID", type=ID, help=f"{_BOARD} [default: the first one]")
@click.option("--customer", "customer_id", metavar="ID", type=ID, help="The author. [default: you]")
@pass_session
def write(
    session: Session, title: str, body: str | None, board_id: str | None, customer_id: str | None
) -> None:
    """Write a post."""
    sent = {"title": title, "body": body, "boardId": board_id, "customerId": customer_id}
    answer = session.api().post(
        "board", "posts", body={name: value for name, value in sent.items() if value is not None}
    )
    session.done(answer, f"Wrote post {answer['number']}: {answer['id']}")


@board.command("set")
@click.argument("post_id", metavar="ID", type=ID)
@click.option("--status", "status_id", metavar="ID", type=ID, help=_STATUS)
@click.option("--board", "board_id", metavar="ID", type=ID, help=_BOARD)
@click.option(
    "--tag", "tag_ids", metavar="ID", type=ID, multiple=True, help="A tag; replaces all tags. Repeat it."
)
@click.option("--title", help="Another title.")
@click.option("--body", help="Another text.")
@pass_session
def set_post(
    session: Session,
    post_id: str,
    status_id: str | None,
    board_id: str | None,
    tag_ids: tuple[str, ...],
    title: str | None,
    body: str | None,
) -> None:
    """Change a post: its status, board, tags or text."""
    sent = {
        "statusId": status_id,
        "boardId": board_id,
        "tagIds": list(tag_ids) or None,
        "title": title,
        "body": body,
    }
    _change(session, post_id, {name: value for name, value in sent.items() if value is not None})


@board.command()
@click.argument("post_id", metavar="ID", type=ID)
@click.option("--state", type=_STATES, help="Make it public, or hold it back.")
@click.option("--spam/--no-spam", default=None, help="Mark it as spam, or not.")
@click.option("--pin/--no-pin", default=None, help="Pin it to the top of lists, or not.")
@pass_session
def moderate(
    session: Session,
    post_id: str,
    state: str | None,
    spam: bool | None,  # noqa: FBT001 - click passes it by name
    pin: bool | None,  # noqa: FBT001 - click passes it by name
) -> None:
    """Make a post public, hold it back, pin it, or mark it as spam."""
    sent = {"state": state, "isSpam": spam, "pinned": pin}
    _change(session, post_id, {name: value for name, value in sent.items() if value is not None})


@board.command("file")
@click.argument("post_id", metavar="ID", type=ID)
@click.option("--signal", "signal_id", metavar="ID", type=ID, help="The signal. [default: off any signal]")
@pass_session
def file_post(session: Session, post_id: str, signal_id: str | None) -> None:
    """File a post under a signal, whose status it follows from then on."""
    answer = session.api().post("board", "posts", post_id, "signal", body={"signalId": signal_id})
    where = "is under no signal" if signal_id is None else f"is filed under {signal_id}"
    session.done(answer, f"The post {where}.")


def _change(session: Session, post_id: str, sent: dict[str, Any]) -> None:
    if not sent:
        raise click.UsageError("Say what to change; see --help.")
    session.done(session.api().patch("board", "posts", post_id, body=sent), f"Changed {post_id}.")


def require_yes(question: str) -> None:
    """Ask whether to delete something. Raises Problem for another answer than yes."""
    if not confirmed(f"{question} [y/N] "):
        raise Problem("Nothing was deleted.", "Answer y, or use --yes.")
