"""knowledge crawl: websites that are read into knowledge documents."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.commands.knowledge import knowledge
from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.output import confirmed, moment, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

__all__ = ["knowledge"]  # with the commands below, as the program adds it

_GLOB = "A glob on the path, such as '/docs/*'. Can be repeated."


@knowledge.group(cls=Listing)
def crawl() -> None:
    """Crawls of websites."""


@crawl.command("list")
@limit_option
@pass_session
def list_crawls(session: Session, limit: int) -> None:
    """List crawls with the numbers of their latest run, newest first."""
    answer = session.api().listed("knowledge", "crawls", name="crawls", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "URL", "STATUS", "PAGES", "NEW", "CHANGED", "REMOVED", "FAILED", "STARTED", "NEXT RUN"),
        [_row(one) for one in answer["crawls"]],
        empty="There are no crawls yet. Add one: helpdesk knowledge crawl add URL",
    )


@crawl.command()
@click.argument("url")
@click.option("--include", multiple=True, help=f"Only these pages. {_GLOB}")
@click.option("--exclude", multiple=True, help=f"Not these pages. {_GLOB}")
@click.option("--max-pages", type=int, help="The most pages to request, up to 500. [default: 100]")
@click.option("--folder", "folder_id", type=ID, help="The ID of the folder of new documents.")
@click.option(
    "--refresh",
    type=click.Choice(["never", "daily", "weekly"]),
    default="never",
    show_default=True,
    help="Run by itself.",
)
@pass_session
def add(
    session: Session,
    url: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    max_pages: int | None,
    folder_id: str | None,
    refresh: str,
) -> None:
    """Crawl a website. A URL that was crawled before gets the new settings and runs again."""
    body: dict[str, Any] = {
        "url": url,
        "include": list(include),
        "exclude": list(exclude),
        "refresh": refresh,
    }
    body |= {} if max_pages is None else {"maxPages": max_pages}
    body |= {} if folder_id is None else {"folderId": folder_id}
    answer = session.api().post("knowledge", "crawls", body=body)
    session.done(answer, f"Crawling {url}. See how far it is: helpdesk knowledge crawl show {answer['id']}")


@crawl.command()
@click.argument("crawl_id", metavar="ID", type=ID)
@limit_option
@pass_session
def show(session: Session, crawl_id: str, limit: int) -> None:
    """Show a crawl with the outcome of each address of its latest run."""
    answer = session.api().listed("knowledge", "crawls", crawl_id, name="addresses", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    one = answer["crawl"]
    counts = ", ".join(f"{number} {name}" for name, number in one["counts"].items() if number)
    say(f"{one['url']}: {one['status']}. {counts or 'Nothing found yet'}.")
    if one["problem"] is not None:
        say(one["problem"])
    if one["limitReached"]:
        say(f"The site has more pages than --max-pages {one['maxPages']}.")
    say_table(
        ("OUTCOME", "URL", "DOCUMENT", "DETAIL"),
        [(each["outcome"], each["url"], each["documentId"], each["detail"]) for each in answer["addresses"]],
        empty="There are no addresses. They are kept for 7 days.",
    )


@crawl.command()
@click.argument("crawl_id", metavar="ID", type=ID)
@pass_session
def run(session: Session, crawl_id: str) -> None:
    """Run a crawl again: changed pages change their documents, and pages that are gone lose them."""
    answer = session.api().post("knowledge", "crawls", crawl_id, "run")
    session.done(answer, f"Running {crawl_id}.")


@crawl.command()
@click.argument("crawl_id", metavar="ID", type=ID)
@click.option("--documents", type=click.Choice(["keep", "delete"]), default="keep", show_default=True)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def delete(session: Session, crawl_id: str, documents: str, *, yes: bool) -> None:
    """Delete a crawl. Its documents stay and can be edited, or are deleted, too."""
    api = session.api()
    crawl_id = api.whole(crawl_id)
    what = "Its documents stay." if documents == "keep" else "Its documents are deleted, too."
    if not yes and not confirmed(f"Delete {crawl_id}? {what}"):
        raise Problem("Nothing was deleted.", "Answer y, or use --yes.")
    answer = api.delete("knowledge", "crawls", crawl_id, documents=documents)
    session.done(answer, f"Deleted {crawl_id}. {what}")


def _row(crawl: dict[str, Any]) -> tuple[Any, ...]:
    counts = crawl["counts"]
    return (
        crawl["id"],
        crawl["url"],
        crawl["status"],
        counts["found"],
        counts["created"],
        counts["updated"],
        counts["removed"],
        counts["failed"],
        moment(crawl["startedAt"]),
        moment(crawl["nextRunAt"]),
    )
