"""commits: report what a repository's commits and pull requests say about cards, from any CI."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

import click

from helpdesk_cli.ci import NO_COMMIT, Build, build
from helpdesk_cli.framework import Command
from helpdesk_cli.output import say, say_json
from helpdesk_cli.problems import Problem
from helpdesk_cli.session import Session, pass_session

_AT_ONCE = 100
"""Commits of one request."""
_WITHOUT_SINCE = 100
_MOST = 2_000
_MESSAGE_CHARACTERS = 10_000
_HASH = re.compile(r"[0-9a-f]{7,64}")


class _Commands(click.Group):
    command_class = Command


@click.group(cls=_Commands)
def commits() -> None:
    """Commits and pull requests that move cards."""


@commits.command()
@click.option("--repo", help="The repository, such as acme/shop. [default: the CI's]")
@click.option("--branch", help="The branch that is checked out. [default: the CI's, else git's]")
@click.option("--default-branch", help="Only commits on it finish cards. [default: the CI's, else main]")
@click.option(
    "--since",
    help="The last commit that was reported. [default: the CI's commit before the push, else the last 100 commits]",
)
@pass_session
def report(
    session: Session, repo: str | None, branch: str | None, default_branch: str | None, since: str | None
) -> None:
    """Report new commits of this checkout, and the pull request that the CI runs for.

    A commit that was reported before changes nothing. On GitHub Actions and GitLab CI no option is needed.
    """
    known = build(os.environ)
    repo = repo or known.repo
    if not repo:
        raise click.UsageError("Name the repository: --repo acme/shop")
    branch = branch or known.branch or _git("rev-parse", "--abbrev-ref", "HEAD").strip()
    finishing = branch == (default_branch or known.default_branch or "main")
    # A CI checks out a merge that nobody made to test a pull request: its commits come with the push.
    found = [] if known.pull_request else _new_commits(since or known.since, known)
    reports = [found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE)] or [[]]
    answers = []
    for number, some in enumerate(reports):
        body: dict[str, Any] = {"repo": repo, "branch": branch, "default": finishing, "commits": some}
        if known.at is not None:
            body["at"] = known.at
        if known.pull_request and number == 0:
            body["pullRequests"] = [known.pull_request]
        answers.append(session.api().post("commits", body=body))
    tasks = {task["id"]: task for answer in answers for task in answer["tasks"]}
    queued = sum(answer["queued"] for answer in answers)
    if session.as_json:
        say_json({"ok": True, "tasks": list(tasks.values()), "queued": queued})
        return
    say(f"Reported {len(found)} commits" + (" and a pull request." if known.pull_request else "."))
    for task in tasks.values():
        say(f"{task['key']}  {task['status']}" + ("  moved" if task["moved"] else ""))
    if queued:
        say(f"{queued} more cards follow within seconds.")


def _new_commits(since: str | None, known: Build) -> list[dict[str, Any]]:
    """Return the commits after one that was reported, oldest first; the last hundred if that is not known here."""
    if since is not None and (not _HASH.fullmatch(since) or since == NO_COMMIT or not _is_here(since)):
        since = None
    chosen = [f"--max-count={_WITHOUT_SINCE}", "HEAD"]
    if since is not None:
        chosen = [f"--max-count={_MOST}", f"{since}..HEAD"]
    listed = _git("log", "-z", "--format=%H%x1f%an%x1f%B", *chosen)
    found = []
    for entry in reversed([entry for entry in listed.split("\0") if entry]):
        sha, author, message = entry.split("\x1f", 2)
        url = f"{known.commit_url}{sha}" if known.commit_url else None
        text = message.strip()[:_MESSAGE_CHARACTERS]
        found.append({"sha": sha, "author": author, "message": text, "url": url})
    return found


def _is_here(commit: str) -> bool:
    done = subprocess.run(  # noqa: S603 - a hash, checked above
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"],  # noqa: S607 - the git of this machine
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are this module's own
            ["git", *arguments],  # noqa: S607 - the git of this machine
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise Problem("git cannot read the commits here.", "Run it in a checkout with commits.") from error
    return done.stdout.decode("utf-8", errors="replace")
