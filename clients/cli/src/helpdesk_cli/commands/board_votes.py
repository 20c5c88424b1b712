"""board vote, unvote, comments, comment, uncomment and delete: what people add to posts."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.commands.board import board, require_yes
from helpdesk_cli.framework import ID, limit_option
from helpdesk_cli.output import moment, say_json, say_table
from helpdesk_cli.session import Session, pass_session

__all__ = ["board"]  # with the commands below, as the program adds it

voter_option = click.option(
    "--customer", "customer_id", metavar="ID", type=ID, help="The customer who votes. [default: you]"
)


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@voter_option
@pass_session
def vote(session: Session, post_id: str, customer_id: str | None) -> None:
    """Vote for a post, which counts once. POST is its ID."""
    sent = {} if customer_id is None else {"customerId": customer_id}
    _say_votes(session, post_id, session.api().post("board", "posts", post_id, "vote", body=sent))


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@voter_option
@pass_session
def unvote(session: Session, post_id: str, customer_id: str | None) -> None:
    """Withdraw a vote for a post."""
    answer = session.api().delete("board", "posts", post_id, "vote", customerId=customer_id)
    _say_votes(session, post_id, answer)


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@limit_option
@pass_session
def comments(session: Session, post_id: str, limit: int) -> None:
    """List the comments on a post, oldest first."""
    answer = session.api().listed("board", "posts", post_id, "comments", name="comments", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "WRITTEN", "AUTHOR", "COMMENT"),
        [
            (each["id"], moment(each["createdAt"]), each["author"]["name"], each["body"])
            for each in answer["comments"]
        ],
        empty="There are no comments yet.",
    )


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@click.argument("text")
@click.option("--customer", "customer_id", metavar="ID", type=ID, help="The author. [default: you]")
@pass_session
def comment(session: Session, post_id: str, text: str, customer_id: str | None) -> None:
    """Comment on a post."""
    sent = {"body": text, **({} if customer_id is None else {"customerId": customer_id})}
    answer = session.api().post("board", "posts", post_id, "comments", body=sent)
    session.done(answer, f"Added {answer['id']}.")


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@click.argument("comment_id", metavar="COMMENT", type=ID)
@pass_session
def uncomment(session: Session, post_id: str, comment_id: str) -> None:
    """Delete a comment on a post."""
    answer = session.api().delete("board", "posts", post_id, "comments", comment_id)
    session.done(answer, f"Deleted {comment_id}.")


@board.command()
@click.argument("post_id", metavar="POST", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def delete(session: Session, post_id: str, *, yes: bool) -> None:
    """Delete a post with its votes and comments."""
    api = session.api()
    post_id = api.whole(post_id)
    if not yes:
        require_yes(f"Delete the post {post_id} with its votes and comments?")
    session.done(api.delete("board", "posts", post_id), f"Deleted {post_id}.")


def _say_votes(session: Session, post_id: str, answer: dict[str, Any]) -> None:
    count = answer["votes"]
    session.done(answer, f"{post_id} has {count} vote{'' if count == 1 else 's'}.")
