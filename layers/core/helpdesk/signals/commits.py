"""Commits that may finish a signal (Specification: SignalCommit)."""

from urllib.parse import urlsplit

from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.text import as_name, one_line
from helpdesk.signals import repository, service, titles
from helpdesk.signals.errors import (
    MAX_COMMIT_MESSAGE_CHARACTERS,
    MAX_COMMITS,
    MAX_SHA_CHARACTERS,
    MAX_URL_CHARACTERS,
    MAX_WHO_CHARACTERS,
    MAX_WHY_CHARACTERS,
)
from helpdesk.signals.record import Commit, StaleSignal
from helpdesk.signals.schemas import CommitInput
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

get = repository.commits.get
"""Return a commit of a signal. Raises CommitNotFound."""

_MIN_SHA_CHARACTERS = 7


def add(organization: str, signal_id: str, sent: CommitInput) -> Commit:
    """Add a commit to a signal; one that it has already stays as it is. Sends no event.

    Raises SignalNotFound, InvalidRequest.
    """
    commit = _checked(organization, signal_id, sent)

    def attempt() -> Commit:
        seen = service.get(organization, signal_id)
        known = repository.commits.find(organization, signal_id, commit.id)
        if known is not None:
            return known
        if seen.commit_count >= MAX_COMMITS:
            raise InvalidRequest(f"A signal can have at most {MAX_COMMITS} commits.")
        transaction = Transaction()
        repository.add_commit(transaction, commit, MAX_COMMITS)
        transaction.commit()
        return commit

    return repeat_when_stale(attempt, ConditionFailed)


def add_applied(transaction: Transaction, commit: Commit) -> None:
    """Add to a transaction that a commit finished its signal. The transaction raises StaleSignal if it moved."""
    transaction.change(commit.key, set={"applied": True}, on_failure=StaleSignal)


def _checked(organization: str, signal_id: str, sent: CommitInput) -> Commit:
    sha = sent.sha.strip().lower()
    if not _MIN_SHA_CHARACTERS <= len(sha) <= MAX_SHA_CHARACTERS or set(sha) - set("0123456789abcdef"):
        raise InvalidRequest(
            f"`sha` must be the commit's hash: {_MIN_SHA_CHARACTERS} to {MAX_SHA_CHARACTERS} hexadecimal digits."
        )
    message = titles.text("message", sent.message, MAX_COMMIT_MESSAGE_CHARACTERS)
    author = as_name(sent.author)
    if len(author) > MAX_WHO_CHARACTERS:
        raise InvalidRequest(at_most("author", MAX_WHO_CHARACTERS))
    why = titles.text("why", sent.why, MAX_WHY_CHARACTERS)
    return Commit(
        organization=organization,
        signal_id=signal_id,
        sha=sha,
        message=message,
        url=_address(sent.url),
        author=author,
        why=one_line(why, MAX_WHY_CHARACTERS),
        applied=False,
        added_at=clock.now_ms(),
    )


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"https", "http"} and bool(parts.hostname) and url.isprintable()
    except ValueError:
        valid = False
    if not valid or " " in url or len(url) > MAX_URL_CHARACTERS:
        raise InvalidRequest(
            f"`url` must be the address of the commit's page, of at most {MAX_URL_CHARACTERS:,} characters."
        )
    return url
