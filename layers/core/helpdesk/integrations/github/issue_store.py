"""The issues of signals, the settings of issues, the claim on opening one, and which signal an issue belongs to."""

from collections.abc import Iterable
from contextlib import suppress
from copy import replace
from urllib.parse import urlsplit

from helpdesk.integrations.app_settings import SettingsRecord
from helpdesk.integrations.github.mirror_store import hash_of_repo
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.signals.record import Signal
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key, Stored, field
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

BY_NAME = ActorName("GitHub")
"""The author of changes that follow an issue, as people read it."""


class IssueSettings(SettingsRecord, kw_only=True):
    """Settings of issues.

    repo         where issues are opened; None if nothing is set
    repo_id      its id at GitHub, which a rename keeps; None until it was checked
    auto_create  whether an issue is opened as a signal is filed
    looked_at    until when changes of its issues were checked (ms): at first, when it was set
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#codehost"
    repo: str | None = field(name="issueRepo", default=None)
    repo_id: int | None = field(name="issueRepoId", default=None)
    auto_create: bool = False
    looked_at: int | None = field(name="issuesLookedAt", default=None)
    problem: str | None = field(name="issueProblem", default=None)


class SignalIssue(Stored, kw_only=True):
    """The issue of a signal, or the claim on opening one; its presence makes the issue the only one.

    number   None while it is being opened
    closed   whether it was closed when it and its signal agreed last
    said     the signal's status then
    pushing  whether it is being closed (true) or opened, None if neither: a move to it is ours
    taking   the status that the signal is being moved to, None if to none: a move to it is the issue's
    since    when the first worker began to open it (ms)
    claimed_until  until when (ms) a worker opens it
    version  counts the writes of what both agreed on; each write requires it
    """

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "codehost"
    organization: str
    signal_id: str
    repo: str
    number: int | None = None
    closed: bool
    said: str
    since: int
    pushing: bool | None = None
    taking: str | None = None
    claimed_until: int = 0
    version: int = 0

    @property
    def url(self) -> str:
        """The issue's page."""
        return f"https://github.com/{self.repo}/issues/{self.number}"

    def is_that(self, repo: str, number: int) -> bool:
        """Return whether it is the issue with a number in a repository, whose name is written in any case."""
        return self.number == number and self.repo.casefold() == repo.casefold()


class IssueNumber(Stored, kw_only=True):
    """Which signal has an issue, by the hash of its repository and its number."""

    PK, SK = "ORG#{organization}#ISSUEOF#{repo_hash}", "NUMBER#{number}"
    organization: str
    repo_hash: str
    number: str
    signal_id: str


class IssueProblem(Stored, kw_only=True):
    """Why an existing issue could not become a signal's."""

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "PROBLEM#codehost"
    organization: str
    signal_id: str
    number: int
    problem: str


class AwaitedIssue(Stored, kw_only=True):
    """A signal whose issue could not be opened when it was filed. It is opened later."""

    PK, SK = "ORG#{organization}#AWAITED#codehost", "SIGNAL#{signal_id}"
    organization: str
    signal_id: str
    expires_at: int


issues = Collection(SignalIssue)
numbers = Collection(IssueNumber)
problems = Collection(IssueProblem)
awaited = Collection(AwaitedIssue)


CLAIM_MS = 120_000
"""How long a worker may take to open an issue; another one checks whether it did."""
_AWAITED_SECONDS = 30 * DAY_SECONDS


class StaleIssue(Exception):
    """An issue's item, or its signal, has changed since it was read."""


def of_signal(signal: Signal) -> SignalIssue | None:
    """Return the issue of a signal, or the claim on opening one. One that came with a merged signal becomes its own."""
    issue = issues.find(signal.organization, signal.id)
    if issue is not None or signal.codehost is None:
        return issue
    repo = "/".join(urlsplit(signal.codehost.url).path.split("/")[1:3])
    before = signal_of(signal.organization, repo, signal.codehost.number)
    issue = None if before is None else issues.find(signal.organization, before)
    return None if issue is None else _pass_on(issue, signal.id)


def _pass_on(issue: SignalIssue, signal_id: str) -> SignalIssue | None:
    """Give an issue to the signal that its own was merged into; return it, or what another worker made of it."""
    moved = replace(issue, signal_id=signal_id)
    transaction = Transaction()
    transaction.delete(issue.key, require={}, on_failure=ConditionFailed)
    transaction.put(moved, new=True, on_failure=ConditionFailed)
    if moved.number is not None:
        transaction.put(_number(moved, moved.number))
    try:
        transaction.commit()
    except ConditionFailed:
        return issues.find(issue.organization, signal_id)
    return moved


def claim_first(issue: SignalIssue) -> bool:
    """Claim the opening of a signal's issue; return whether nobody did before."""
    try:
        table.put_new(replace(issue, claimed_until=clock.now_ms() + CLAIM_MS))
    except ConditionFailed:
        return False
    return True


def claim_again(issue: SignalIssue) -> bool:
    """Claim an opening whose worker did not end it; return whether no other worker has it."""
    now = clock.now_ms()
    try:
        table.change(
            issue.key,
            set={"claimed_until": now + CLAIM_MS},
            require={"number": None, "claimed_until": below(now)},
        )
    except ConditionFailed:
        return False
    return True


def release(issue: SignalIssue) -> None:
    """Release the claim on opening an issue, unless it was forgotten."""
    with suppress(ConditionFailed):
        table.change(issue.key, set={"claimed_until": 0})


def put_awaited(organization: str, signal_id: str) -> None:
    """Record that the issue of a signal is to be opened once GitHub allows it, for 30 days."""
    expires_at = clock.seconds_from_now(_AWAITED_SECONDS)
    table.change(AwaitedIssue.key_for(organization, signal_id), set={"expires_at": expires_at}, or_new=True)


def awaited_signals(organization: str, most: int) -> list[str]:
    """Return signals whose issues are to be opened, up to a number of them. One call."""
    return [each.signal_id for each in awaited.page(organization, limit=most).records]


def forget_awaited(organization: str, signal_id: str) -> None:
    """Forget that the issue of a signal is to be opened: it is, or will not be."""
    table.delete(AwaitedIssue.key_for(organization, signal_id))


def add_opened(transaction: Transaction, issue: SignalIssue, number: int) -> None:
    """Add that a signal's issue is open, and no longer awaited.

    The transaction raises ConditionFailed if it was recorded before.
    """
    transaction.change(
        issue.key, set={"number": number}, require={"number": None}, on_failure=ConditionFailed
    )
    transaction.put(_number(issue, number))
    transaction.delete(AwaitedIssue.key_for(issue.organization, issue.signal_id))


def add_linked(transaction: Transaction, issue: SignalIssue, seen: SignalIssue | None, number: int) -> None:
    """Add that an existing issue is a signal's, instead of the one that was read.

    The transaction raises ConditionFailed if the signal got another one meanwhile, or the issue another signal.
    """
    if seen is None:
        transaction.put(issue, new=True, on_failure=ConditionFailed)
    else:
        in_key = {"organization", "signal_id"}
        values = {name: getattr(issue, name) for name in issue.__struct_fields__ if name not in in_key}
        transaction.change(issue.key, set=values, require={"number": seen.number}, on_failure=ConditionFailed)
        if seen.number is not None:
            transaction.delete(_number(seen, seen.number).key)
    transaction.put(_number(issue, number), new=True, on_failure=ConditionFailed)


def add_removal(transaction: Transaction, issue: SignalIssue) -> None:
    """Add that an issue is forgotten. It may be gone at the service, or stay there."""
    transaction.delete(issue.key)
    if issue.number is not None:
        transaction.delete(_number(issue, issue.number).key)


def add_rename(transaction: Transaction, issue: SignalIssue, repo: str) -> SignalIssue:
    """Add the new name of an issue's repository; return the issue. The commit raises ConditionFailed if it is gone."""
    renamed = replace(issue, repo=repo)
    number = issue.number or 0
    transaction.change(issue.key, set={"repo": repo}, require={"number": number}, on_failure=ConditionFailed)
    transaction.delete(_number(issue, number).key)
    transaction.put(_number(renamed, number))
    return renamed


def save(seen: SignalIssue, changed: SignalIssue) -> SignalIssue:
    """Write what an issue and its signal agreed on over what was read; return it. Raises StaleIssue if it changed."""
    written = replace(changed, version=seen.version + 1)
    agreed = ("closed", "said", "pushing", "taking", "version")
    try:
        table.change(
            seen.key,
            set={name: getattr(written, name) for name in agreed},
            require={"version": seen.version},
        )
    except ConditionFailed:
        raise StaleIssue from None
    return written


def signal_of(organization: str, repo: str, number: int) -> str | None:
    """Return the signal of an issue, or None."""
    found = numbers.find(organization, hash_of_repo(repo), str(number))
    return None if found is None else found.signal_id


def signals_of(organization: str, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return the signals of issues, by repository and number. One call for a hundred."""
    keys: dict[Key, tuple[str, int]] = {
        IssueNumber.key_for(organization, hash_of_repo(repo), str(number)): (repo, number)
        for repo, number in wanted
    }
    found = table.get_many(list(keys)) if keys else {}
    return {keys[key]: IssueNumber.from_item(item).signal_id for key, item in found.items()}


def numbers_of(organization: str, repo: str, most: int) -> list[IssueNumber]:
    """Return issues of a repository, up to a number of them. One call."""
    return numbers.page(organization, hash_of_repo(repo), limit=most).records


def link_problem(organization: str, signal_id: str, number: int) -> str | None:
    """Return why an issue could not become a signal's when that was asked for last, or None."""
    found = problems.find(organization, signal_id)
    return found.problem if found is not None and found.number == number else None


def put_link_problem(organization: str, signal_id: str, number: int, problem: str) -> None:
    """Record why an issue cannot become a signal's."""
    key = IssueProblem.key_for(organization, signal_id)
    table.change(key, set={"number": number, "problem": problem}, or_new=True)


def _number(issue: SignalIssue, number: int) -> IssueNumber:
    return IssueNumber(
        organization=issue.organization,
        repo_hash=hash_of_repo(issue.repo),
        number=str(number),
        signal_id=issue.signal_id,
    )
