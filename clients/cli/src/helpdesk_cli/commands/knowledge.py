"""knowledge: list documents, push a folder of Markdown files, and pull the knowledge base into a folder.

Other modules add commands to the group `knowledge`, as `inbox` does to `conversations`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.knowledge.files import Scan, scan
from helpdesk_cli.knowledge.names import parsed_folder
from helpdesk_cli.knowledge.patience import Patience
from helpdesk_cli.knowledge.plan import Attention, Plan, plan
from helpdesk_cli.knowledge.pull import Pull, Wrote, targets
from helpdesk_cli.knowledge.push import Done, Push, Verb, documents_of, tree_of
from helpdesk_cli.knowledge.state import Folder, FolderPath, Tree
from helpdesk_cli.output import confirmed, moment, note, say, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session
from helpdesk_cli.text import one_line

_AGAIN = "Run the same command again: it continues where it stopped."
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group(cls=Listing)
def knowledge() -> None:
    """The knowledge base."""


@knowledge.command("list")
@click.option(
    "--search", "text", help="Only documents that have these words or are about them, the best match first."
)
@click.option(
    "--status", type=click.Choice(["indexing", "ready", "failed"]), help="Only documents in this state."
)
@limit_option
@pass_session
def list_documents(session: Session, text: str | None, status: str | None, limit: int) -> None:
    """List documents, newest first, or search them."""
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
        empty="No documents match." if text or status else "There are no documents yet.",
    )


@knowledge.command("alias")
@click.argument("document_id", metavar="ID", type=ID)
@click.argument("words", metavar="WORDS")
@pass_session
def add_alias(session: Session, document_id: str, words: str) -> None:
    """Add words that find a document, such as a search of the help site that found nothing."""
    answer = session.api().post("knowledge", "documents", document_id, "aliases", body={"alias": words})
    if session.as_json:
        say_json(answer)
    else:
        say(f"These words find “{one_line(answer['document']['title'])}” once it is indexed again.")


@knowledge.group(cls=Listing)
def folders() -> None:
    """The folders of the knowledge base."""


@folders.command("list")
@pass_session
def list_folders(session: Session) -> None:
    """List the folders, each before its subfolders."""
    answer = session.api().get("knowledge", "folders")
    if session.as_json:
        say_json(answer)
        return
    tree = Tree(Folder.of(one) for one in answer["folders"])
    say_table(
        ("ID", "FOLDER", "DOCUMENTS", "PUBLISHED"),
        [
            (one["id"], "/".join(tree.path(one["id"])), one["documents"], one["published"])
            for one in answer["folders"]
        ],
        empty="There are no folders yet.",
    )


def _page(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).netloc):
        raise click.BadParameter("give an http or https address, such as https://docs.example.com/")
    return value


def _knowledge_folder(_context: click.Context, _parameter: click.Parameter, value: str | None) -> FolderPath:
    if value is None:
        return ()
    names = parsed_folder(value)
    if names is None:
        raise click.BadParameter("give the name of a folder, with up to three levels: Products/Kettle/Setup")
    return names


@knowledge.command()
@click.argument("folder", type=_FOLDER)
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before removing or overwriting documents.")
@click.option("--force", is_flag=True, help="Overwrite and remove documents that somebody has changed since.")
@click.option(
    "--adopt",
    is_flag=True,
    help="Take over documents with the same text or title that people wrote, and with the same text of other pushes.",
)
@click.option(
    "--url-base", metavar="URL", callback=_page, help="The public address of the folder, for links."
)
@click.option(
    "--into",
    metavar="FOLDER",
    callback=_knowledge_folder,
    help="The folder of the knowledge base, such as Products/Kettle. Pushes into different folders leave each other's "
    "documents alone.",
)
@pass_session
def push(
    session: Session,
    folder: Path,
    *,
    dry_run: bool,
    yes: bool,
    force: bool,
    adopt: bool,
    url_base: str | None,
    into: FolderPath,
) -> None:
    """Make the knowledge base equal to the Markdown files in FOLDER.

    Only documents that a push into the same folder (--into) made are changed and removed, and only what differs is
    sent. Directories become folders; those below the third level join the folder of the third.
    """
    found = scan(folder, url_base, into)
    if not found.documents:
        raise Problem(f"There are no Markdown files in {folder}.", "Name the folder with your documents.")
    api, patience = session.api(waits=False), Patience(session.sleep)
    tree = tree_of(api, patience)
    kept = {skipped.path for skipped in found.skipped}
    documents = documents_of(api, patience)
    made = plan(found.documents, documents, tree, into, adopt=adopt, force=force, kept=kept)
    _show_skipped(found)
    if not session.as_json:
        _show_plan(made, found)
    work = Push(api, patience, made, tree, lambda done, of: note(f"{done} of {of} documents done."))
    if not dry_run and (made.steps or made.obsolete):
        _ask(made, yes=yes)
        try:
            work.run()
        except KeyboardInterrupt:
            raise Problem("Interrupted.", _AGAIN) from None
        except Problem as problem:
            problem.hint = f"{problem.hint} {_AGAIN}".strip()
            raise
    open_points = [*made.attention, *work.done.attention]
    open_points += [Attention(one.path, one.reason) for one in found.skipped if one.mend]
    if session.as_json:
        say_json(
            {"plan": _plan_object(made), "done": _done_object(work.done), "attention": _objects(open_points)}
        )
    _conclude_push(folder, made, work.done, open_points, dry_run=dry_run, as_json=session.as_json)


@knowledge.command()
@click.argument("folder", type=_FOLDER)
@click.option("--dry-run", is_flag=True, help="Show what would be written and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files with changes of their own.")
@pass_session
def pull(session: Session, folder: Path, *, dry_run: bool, force: bool) -> None:
    """Write the knowledge base into FOLDER, as Markdown files.

    A push of the folder then changes nothing. Files with changes of their own are left as they are.
    """
    found = scan(folder) if folder.exists() else Scan()
    api, patience = session.api(waits=False), Patience(session.sleep)
    tree = tree_of(api, patience)
    documents = documents_of(api, patience)

    def read(document_id: str) -> dict[str, Any]:
        shown: dict[str, Any] = patience.call(lambda: api.get("knowledge", "documents", document_id))
        document: dict[str, Any] = shown["document"]
        return document

    work = Pull(folder, found, read, force=force, dry_run=dry_run)
    patience.each(work.write, targets(documents, tree, found))
    work.gone(documents)
    counts = Counter(outcome for outcome in work.outcomes if isinstance(outcome, Wrote))
    points = sorted(
        (outcome for outcome in work.outcomes if isinstance(outcome, Attention)), key=lambda point: point.path
    )
    if session.as_json:
        say_json({**{one.value: counts[one] for one in Wrote}, "attention": _objects(points)})
    else:
        _show_attention(points)
        said = ", ".join(f"{one.value} {counts[one]}" for one in Wrote)
        say(f"{said[0].upper()}{said[1:]}.")
    if points:
        raise Problem(
            f"{_needing(len(points), 'file')} a decision; see above.",
            "Resolve what is listed above, and pull again.",
        )
    if not session.as_json:
        say("Nothing was written. Run it without --dry-run." if dry_run else f"{folder} is up to date.")


def _ask(made: Plan, *, yes: bool) -> None:
    """Ask before texts are lost."""
    losses = []
    if made.removes:
        losses.append(f"remove {_documents(len(made.removes))}")
    if made.overwritten:
        losses.append(f"overwrite {_documents(made.overwritten)} that people changed or wrote")
    if losses and not yes and not confirmed(f"{' and '.join(losses).capitalize()}?"):
        raise Problem("Nothing was changed.", "Answer y, or use --yes.")


def _show_skipped(found: Scan) -> None:
    for skipped in found.skipped:
        note(f"Skipped {skipped.path}: {skipped.reason}.")
    if found.others:
        kinds = ", ".join(f"{suffix} {number}" for suffix, number in sorted(found.others.items()))
        note(f"Skipped files that are not Markdown: {kinds}.")


def _show_plan(made: Plan, found: Scan) -> None:
    deep = sum(len(file.into) + file.path.count("/") > len(file.folder) for file in found.documents)
    if deep:
        note(
            f"Folders have three levels. Deeper directories join the folder of the third ({_documents(deep, 'file')})."
        )
    for verb, writes in (("create", made.creates), ("change", made.changes), ("move", made.moves)):
        for write in writes:
            before = write.document.path if write.document else None
            origin = f" (from {before})" if before not in {None, write.path} else ""
            say(one_line(f"{verb} {write.file.path}{origin}"))
    for document in made.removes:
        say(one_line(f"remove {document.file_path}"))
    _show_attention(made.attention)
    say(
        f"Plan: create {len(made.creates)}, change {len(made.changes)}, move {len(made.moves)}, "
        f"remove {len(made.removes)}, unchanged {len(made.unchanged)}."
    )
    if made.removes and made.replaces_all:
        note(
            "None of the files belongs to a document of the earlier push. To keep its documents, push this folder into "
            "one of its own: --into FOLDER"
        )


def _show_attention(points: Iterable[Attention]) -> None:
    for point in points:
        say(one_line(f"! {point.path}: {point.reason}"))


def _conclude_push(
    folder: Path, made: Plan, done: Done, points: list[Attention], *, dry_run: bool, as_json: bool
) -> None:
    """Write what was done and what to do next. Errors: Problem if a document needs a decision."""
    if not as_json:
        _show_attention(sorted(done.attention, key=lambda point: point.path))
        if done.twins:
            note(
                f"Another push ran at the same time. {_documents(done.twins)} that both created "
                f"{'was' if done.twins == 1 else 'were'} removed."
            )
        if done.counts:
            said = ", ".join(f"{verb.value} {done.counts[verb]}" for verb in Verb)
            say(f"{said[0].upper()}{said[1:]}.")
    if points:
        raise Problem(
            f"{_needing(len(points), 'document')} a decision; see above.",
            "For changes by others: `helpdesk knowledge pull` into another folder and compare, or overwrite them with "
            "--force. Then push again.",
        )
    if as_json:
        return
    if dry_run:
        say("Nothing was changed. Run it without --dry-run to carry out the plan.")
    elif made.steps:
        say(
            "The agent answers from new texts once they are indexed: helpdesk knowledge list --status indexing"
        )
    else:
        say(f"The knowledge base equals {folder}. Nothing to do.")


def _plan_object(made: Plan) -> dict[str, Any]:
    return {
        "create": [write.file.path for write in made.creates],
        "change": [write.file.path for write in made.changes],
        "move": [write.file.path for write in made.moves],
        "remove": [document.file_path for document in made.removes],
        "unchanged": made.unchanged,
    }


def _done_object(done: Done) -> dict[str, int]:
    return {verb.value: done.counts[verb] for verb in Verb}


def _objects(points: Iterable[Attention]) -> list[dict[str, str]]:
    return [{"path": point.path, "reason": point.reason} for point in points]


def _needing(number: int, noun: str) -> str:
    return f"{_documents(number, noun)} {'needs' if number == 1 else 'need'}"


def _documents(number: int, noun: str = "document") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
