"""Issues of signals as items: the claim on opening one, and which signal an issue belongs to."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import replace
from urllib.parse import urlsplit

from helpdesk.codehost.issue_record import CLAIM_MS, Issue
from helpdesk.codehost.mirror_record import hash_of_repo
from helpdesk.integrations.apps import App
from helpdesk.platform import clock
from helpdesk.signals.record import Signal
from helpdesk.storage import attributes, keys, table
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_AWAITED_SECONDS = 30 * 86_400


class StaleIssue(Exception):
    """An issue's item, or its signal, has changed since it was read."""


def get(organization: str, signal_id: str) -> Issue | None:
    """Return the issue of a signal, or None."""
    item = table.get(keys.SignalIssue(organization, signal_id, App.CODEHOST.value))
    return None if item is None else Issue.from_item(organization, item)


def of_signal(signal: Signal) -> Issue | None:
    """Return the issue of a signal, or the claim on opening one. One that came with a merged signal becomes its own."""
    issue = get(signal.organization, signal.id)
    if issue is not None or signal.codehost is None:
        return issue
    repo = "/".join(urlsplit(signal.codehost.url).path.split("/")[1:3])
    before = signal_of(signal.organization, repo, signal.codehost.number)
    issue = None if before is None else get(signal.organization, before)
    return None if issue is None else passed_on(issue, signal.id)


def claim_first(issue: Issue) -> bool:
    """Claim the opening of a signal's issue; return whether nobody did before."""
    try:
        table.put_new(issue.to_item())
    except ConditionFailed:
        return False
    return True


def claim_again(issue: Issue) -> bool:
    """Claim an opening whose worker did not end it; return whether no other worker has it."""
    now = clock.now_ms()
    try:
        table.update(
            issue.key,
            "SET claimedUntil = :until",
            condition="#number = :null AND claimedUntil < :now",
            names={"#number": "number"},
            values={":until": now + CLAIM_MS, ":null": None, ":now": now},
        )
    except ConditionFailed:
        return False
    return True


def release(issue: Issue) -> None:
    """Give up the claim on opening an issue, unless it was forgotten."""
    with suppress(ConditionFailed):
        table.update(
            issue.key,
            "SET claimedUntil = :free",
            condition="attribute_exists(PK)",
            values={":free": 0},
        )


def forget(issue: Issue) -> None:
    """Forget an opening that the service refused."""
    table.delete(issue.key)


def put_awaited(organization: str, signal_id: str) -> None:
    """Note that the issue of a signal is to be opened once GitHub lets it, for 30 days."""
    table.update(
        keys.AwaitedIssue(organization, App.CODEHOST.value, signal_id),
        "SET signalId = :signal, expiresAt = :expires",
        values={":signal": signal_id, ":expires": clock.seconds_from_now(_AWAITED_SECONDS)},
    )


def awaited(organization: str, most: int) -> list[str]:
    """Return signals whose issues are to be opened, up to a number of them. One call."""
    pk = keys.AwaitedIssue(organization, App.CODEHOST.value, "1").pk
    found = table.query(pk, sk_prefix="SIGNAL#", limit=most).items
    return [attributes.text(item, "signalId") for item in found]


def forget_awaited(organization: str, signal_id: str) -> None:
    """Forget that the issue of a signal is to be opened: it is, or will not be."""
    table.delete(keys.AwaitedIssue(organization, App.CODEHOST.value, signal_id))


def opened(transaction: Transaction, issue: Issue, number: int) -> None:
    """Add that a signal's issue is open, and awaited no more.

    The transaction raises ConditionFailed if it was noted before.
    """
    transaction.set(
        issue.key,
        {"number": number},
        condition="attribute_exists(PK) AND #number = :null2",
        values={":null2": None},
        on_failure=ConditionFailed,
    )
    transaction.put(
        {
            **_number_key(issue, number).attributes(),
            "signalId": issue.signal_id,
        }
    )
    transaction.delete(keys.AwaitedIssue(issue.organization, App.CODEHOST.value, issue.signal_id))


def linked(transaction: Transaction, issue: Issue, seen: Issue | None, number: int) -> None:
    """Add that an issue which is there is a signal's, instead of the one that was read.

    The transaction raises ConditionFailed if the signal got another one meanwhile, or the issue another signal.
    """
    if seen is None:
        transaction.put(issue.to_item(), new=True, on_failure=ConditionFailed)
    else:
        transaction.set(
            issue.key,
            {name: value for name, value in issue.to_item().items() if name not in {"PK", "SK"}},
            condition="attribute_exists(PK) AND #number = :seen",
            values={":seen": seen.number},
            on_failure=ConditionFailed,
        )
        if seen.number is not None:
            transaction.delete(_number_key(seen, seen.number))
    of_number = {**_number_key(issue, number).attributes(), "signalId": issue.signal_id}
    transaction.put(of_number, new=True, on_failure=ConditionFailed)


def passed_on(issue: Issue, signal_id: str) -> Issue | None:
    """Give an issue to the signal that its own was merged into; return it, or what another worker made of it."""
    moved = issue.__replace__(signal_id=signal_id)
    transaction = Transaction()
    transaction.delete(issue.key, condition="attribute_exists(PK)", on_failure=ConditionFailed)
    transaction.put(moved.to_item(), new=True, on_failure=ConditionFailed)
    if issue.number is not None:
        transaction.put({**_number_key(issue, issue.number).attributes(), "signalId": signal_id})
    try:
        transaction.commit()
    except ConditionFailed:
        return get(issue.organization, signal_id)
    return moved


def remove(issue: Issue) -> None:
    """Forget an issue, which stays as it is at the service."""
    transaction = Transaction()
    add_removal(transaction, issue)
    transaction.commit()


def add_removal(transaction: Transaction, issue: Issue) -> None:
    """Add that an issue is forgotten, which may be gone at the service."""
    transaction.delete(issue.key)
    if issue.number is not None:
        transaction.delete(_number_key(issue, issue.number))


def save(seen: Issue, changed: Issue) -> Issue:
    """Write what an issue and its signal agreed on over what was read; return it. Raises StaleIssue if it changed."""
    written = replace(changed, version=seen.version + 1)
    try:
        table.update(
            seen.key,
            "SET closed = :closed, said = :said, pushing = :pushing, taking = :taking, #version = :version",
            condition="attribute_exists(PK) AND #version = :seen"
            if seen.version
            else "attribute_exists(PK) AND (attribute_not_exists(#version) OR #version = :seen)",
            names={"#version": "version"},
            values={
                ":closed": written.closed,
                ":said": written.said,
                ":pushing": written.pushing,
                ":taking": written.taking,
                ":version": written.version,
                ":seen": seen.version,
            },
        )
    except ConditionFailed:
        raise StaleIssue from None
    return written


def signal_of(organization: str, repo: str, number: int) -> str | None:
    """Return the signal of an issue, or None."""
    item = table.get(keys.IssueNumber(organization, hash_of_repo(repo), str(number)))
    return None if item is None else attributes.text(item, "signalId")


def link_problem(organization: str, signal_id: str, number: int) -> str | None:
    """Return why an issue could not become a signal's when that was asked for last, or None."""
    item = table.get(keys.IssueProblem(organization, signal_id, App.CODEHOST.value))
    return item["problem"] if item is not None and item["number"] == number else None


def put_link_problem(organization: str, signal_id: str, number: int, problem: str) -> None:
    """Note why an issue cannot become a signal's."""
    key = keys.IssueProblem(organization, signal_id, App.CODEHOST.value)
    table.update(
        key,
        "SET #number = :number, problem = :problem",
        names={"#number": "number"},
        values={":number": number, ":problem": problem},
    )


def forget_link_problem(organization: str, signal_id: str) -> None:
    """Forget why an issue could not become a signal's: one did."""
    table.delete(keys.IssueProblem(organization, signal_id, App.CODEHOST.value))


def numbers_of(organization: str, repo: str, most: int) -> list[tuple[int, str]]:
    """Return numbers of a repository's issues with their signals, up to a number of them. One call."""
    pk = keys.IssueNumber(organization, hash_of_repo(repo), "1").pk
    found = table.query(pk, sk_prefix="NUMBER#", limit=most).items
    return [(int(item["SK"].partition("#")[2]), attributes.text(item, "signalId")) for item in found]


def rename(transaction: Transaction, issue: Issue, repo: str) -> Issue:
    """Add that an issue's repository has another name; return it. The commit raises ConditionFailed if it is gone."""
    renamed = issue.__replace__(repo=repo)
    number = issue.number or 0
    transaction.set(
        issue.key,
        {"repo": repo},
        condition="attribute_exists(PK) AND #number = :seen",
        names={"#number": "number"},
        values={":seen": number},
        on_failure=ConditionFailed,
    )
    transaction.delete(_number_key(issue, number))
    transaction.put({**_number_key(renamed, number).attributes(), "signalId": issue.signal_id})
    return renamed


def forget_number(transaction: Transaction, organization: str, repo: str, number: int) -> None:
    """Add that a number of a repository is no signal's issue."""
    transaction.delete(keys.IssueNumber(organization, hash_of_repo(repo), str(number)))


def all_of(organization: str, repo: str, most: int) -> list[str]:
    """Return the signals of a repository's issues, up to a number of them. One call."""
    pk = keys.IssueNumber(organization, hash_of_repo(repo), "1").pk
    found = table.query(pk, sk_prefix="NUMBER#", limit=most).items
    return [attributes.text(item, "signalId") for item in found]


def of_signals(organization: str, signal_ids: Sequence[str]) -> dict[str, Issue]:
    """Return the issues of signals, by their signals. One call for a hundred."""
    wanted = [keys.SignalIssue(organization, each, App.CODEHOST.value) for each in signal_ids]
    found = table.get_many(wanted).values() if wanted else ()
    read = [Issue.from_item(organization, item) for item in found]
    return {each.signal_id: each for each in read}


def signals_of(organization: str, issues: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return the signals of issues, by repository and number. One call for a hundred."""
    wanted: dict[AnyKey, tuple[str, int]] = {
        keys.IssueNumber(organization, hash_of_repo(repo), str(number)): (repo, number)
        for repo, number in issues
    }
    found = table.get_many(list(wanted)) if wanted else {}
    return {wanted[key]: attributes.text(item, "signalId") for key, item in found.items()}


def _number_key(issue: Issue, number: int) -> keys.IssueNumber:
    return keys.IssueNumber(issue.organization, hash_of_repo(issue.repo), str(number))
