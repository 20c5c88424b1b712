"""knowledge: list documents.

Other modules add commands to the group `knowledge`, as `inbox` does to `conversations`.
"""

from __future__ import annotations

import click

from helpdesk_cli.framework import Listing, limit_option
from helpdesk_cli.output import moment, say_json, say_table
from helpdesk_cli.session import Session, pass_session


@click.group(cls=Listing)
def knowledge() -> None:
    """The knowledge base."""


@knowledge.command("list")
@click.option("--search", "text", help="Only documents whose title contains all these words.")
@click.option(
    "--status", type=click.Choice(["indexing", "ready", "failed"]), help="Only documents in this state."
)
@limit_option
@pass_session
def list_documents(session: Session, text: str | None, status: str | None, limit: int) -> None:
    """List documents, newest first."""
    answer = session.api().listed(
        "knowledge", "documents", name="documents", limit=limit, q=text, status=status
    )
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "TITLE", "STATUS", "SOURCE", "CHANGED"),
        [
            (
                one["id"],
                one["title"],
                one["status"],
                one["source"]["path"] or one["source"]["url"] or one["source"]["kind"],
                moment(one["updatedAt"]),
            )
            for one in answer["documents"]
        ],
        empty="There are no documents.",
    )
