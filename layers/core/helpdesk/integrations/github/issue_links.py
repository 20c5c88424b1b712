"""Links existing issues to signals, and offers commits that name a signal's issue.

(Specification: Signal, SignalCommit.)
"""

import re
from collections.abc import Mapping, Sequence
from copy import replace
from typing import Any, Final

from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github import app_identity, issue_store
from helpdesk.integrations.github.app_identity import API
from helpdesk.integrations.github.issue_store import BY_NAME, IssueProblem, SignalIssue
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.record import Record
from helpdesk.progress.references import MAX_CHARACTERS, MAX_REFERENCES, is_revert
from helpdesk.signals import commits
from helpdesk.signals import service as signals
from helpdesk.signals.errors import MAX_COMMIT_MESSAGE_CHARACTERS, MAX_WHO_CHARACTERS, SignalNotFound
from helpdesk.signals.record import CodehostLink, StaleSignal
from helpdesk.signals.schemas import CommitInput
from helpdesk.storage import table
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_REPO: Final = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}"
_REFERENCE = re.compile(
    r"(?:\b(?P<word>close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+)?(?<![\w/&#-])"
    rf"(?:https://github\.com/(?P<page>{_REPO})/issues/|(?P<repo>{_REPO})?#|GH-)"
    r"(?P<number>[1-9][0-9]{0,8})\b(?!\.[0-9])",
    re.IGNORECASE | re.ASCII,
)


class Reference(Record):
    """An issue that a message names, and whether the message says that it is finished."""

    repo: str
    number: int
    finishes: bool


def references(text: str, repo: str) -> list[Reference]:
    """Return the issues that the message of a commit in a repository names, each once. A revert finishes nothing."""
    finishing = not is_revert(text)
    found: dict[tuple[str, int], Reference] = {}
    for match in _REFERENCE.finditer(text[:MAX_CHARACTERS]):
        if match.end() == MAX_CHARACTERS < len(text):
            break  # the rest of this number is not read
        named = match.group("page") or match.group("repo") or repo
        key = named.lower(), int(match.group("number"))
        if key not in found and len(found) == MAX_REFERENCES:
            continue
        finishes = finishing and match.group("word") is not None
        finishes = finishes or (key in found and found[key].finishes)
        found[key] = Reference(named, key[1], finishes)
    return list(found.values())


MAX_NAMED = 100
"""Issues that the commits of one push name; others are passed over."""


def link(organization: str, data: Mapping[str, Any]) -> str:
    """Make an existing issue a signal's, instead of the one that it has. Neither of them moves.

    Raises TryLater, Revoked, NotConnectedNow.
    """
    repo, number = data["repo"], data["number"]
    try:
        signal = signals.survivor(organization, data["signalId"])
    except SignalNotFound:
        return "gone"
    wanted = SignalIssue(
        organization=organization,
        signal_id=signal.id,
        repo=repo,
        number=number,
        closed=False,
        said=signal.status.value,
        since=clock.now_ms(),
    )
    reply = github.ask(
        app_identity.account_of(organization, repo),
        ServiceRequest(url=f"{API}/repos/{repo}/issues/{number}"),
    )
    found = reply.json() if reply.ok else {}
    if not reply.ok or "pull_request" in found:
        what = "is a pull request" if reply.ok else "was not found"
        issue_store.put_link_problem(
            organization, data["signalId"], number, f"Issue {number} of {repo} {what}."
        )
        return "no_issue"
    wanted = wanted.__replace__(closed=found["state"] == "closed")

    def attempt() -> str:
        nonlocal signal, wanted
        seen = issue_store.of_signal(signal)
        if seen is not None and seen.is_that(repo, number):
            return "linked_before"
        transaction = Transaction()
        issue_store.add_linked(transaction, wanted, seen, number)
        hosted = replace(signal, codehost=CodehostLink(number, wanted.url))
        signals.add_change(transaction, signal, hosted, BY_NAME)
        try:
            transaction.commit()
        except StaleSignal:
            signal = signals.survivor(organization, signal.id)
            wanted = wanted.__replace__(signal_id=signal.id)
            raise
        except ConditionFailed:
            if issue_store.signal_of(organization, repo, number) is not None:
                return "of_another_signal"
            raise
        table.delete(IssueProblem.key_for(organization, data["signalId"]))
        return "linked"

    return repeat_when_stale(attempt, ConditionFailed)


def offer(organization: str, repo: str, pushed: Sequence[Mapping[str, Any]]) -> int:
    """Offer commits that name issues of signals to these signals; return how many. One read where none is named.

    A commit that a signal has stays as it is.
    """
    named = [(commit, reference) for commit in pushed for reference in references(commit["message"], repo)][
        :MAX_NAMED
    ]
    of_issues = issue_store.signals_of(
        organization, {(reference.repo.casefold(), reference.number) for _, reference in named}
    )
    count = 0
    for commit, reference in named:
        signal_id = of_issues.get((reference.repo.casefold(), reference.number))
        if signal_id is None:
            continue
        says = "says that it finishes" if reference.finishes else "names"
        offered = CommitInput(
            sha=commit["sha"],
            message=commit["message"][:MAX_COMMIT_MESSAGE_CHARACTERS],
            url=commit["url"],
            author=commit["author"][:MAX_WHO_CHARACTERS] or BY_NAME,
            why=f"The commit {says} issue #{reference.number} of {reference.repo}.",
        )
        try:
            commits.add(organization, signals.survivor(organization, signal_id).id, offered)
        except (SignalNotFound, InvalidRequest):  # it has as many commits as it may
            continue
        count += 1
    return count
