"""The bodies of reports of commits, checked (Specification: POST /commits)."""

from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.text import as_name, one_line
from helpdesk.progress.errors import MAX_BRANCH_CHARACTERS, MAX_REPO_CHARACTERS
from helpdesk.progress.schemas import (
    MAX_COMMITS_REPORTED,
    MAX_PULL_REQUESTS_REPORTED,
    MAX_SHA_CHARACTERS,
    MIN_SHA_CHARACTERS,
    CommitsReport,
    ReportedCommit,
    ReportedPullRequest,
)
from helpdesk.tasks.links import LinkedCommit, LinkedPullRequest

_MAX_URL_CHARACTERS = 2_000
_MESSAGE_CHARACTERS = 200
_AUTHOR_CHARACTERS = 80
_MAX_PULL_REQUEST_NUMBER = 10**12


def checked(wanted: CommitsReport, now: int) -> list[tuple[LinkedCommit | LinkedPullRequest, str]]:
    """Return what a report holds, each with the text that names cards; `now` is when it came (ms).

    Raises InvalidRequest.
    """
    repo = as_name(wanted.repo)
    if not repo or len(wanted.repo) > MAX_REPO_CHARACTERS or "#" in repo:
        raise InvalidRequest(
            f"`repo` must be a repository name of 1 to {MAX_REPO_CHARACTERS} characters without #, such as `acme/shop`."
        )
    if len(wanted.branch or "") > MAX_BRANCH_CHARACTERS:
        raise InvalidRequest(at_most("branch", MAX_BRANCH_CHARACTERS))
    commits, pulls = wanted.commits or [], wanted.pull_requests or []
    if len(commits) > MAX_COMMITS_REPORTED or len(pulls) > MAX_PULL_REQUESTS_REPORTED:
        raise InvalidRequest(
            f"A report must have at most {MAX_COMMITS_REPORTED} `commits` and {MAX_PULL_REQUESTS_REPORTED} "
            "`pullRequests`."
        )
    return [
        *((_commit(each, number, repo, wanted, now), each.message) for number, each in enumerate(commits)),
        *((_pull(each, number, repo, wanted, now), each.title) for number, each in enumerate(pulls)),
    ]


def happened_at(wanted: CommitsReport, now: int) -> int:
    """Return when what a report says happened (ms): when it came (`now`), if it says nothing earlier."""
    return now if wanted.at is None else min(wanted.at, now)


def _commit(sent: ReportedCommit, number: int, repo: str, wanted: CommitsReport, now: int) -> LinkedCommit:
    sha = sent.sha.strip().lower()
    if not MIN_SHA_CHARACTERS <= len(sha) <= MAX_SHA_CHARACTERS or set(sha) - set("0123456789abcdef"):
        raise InvalidRequest(
            f"`commits[{number}].sha` must be the commit's hash: {MIN_SHA_CHARACTERS} to {MAX_SHA_CHARACTERS} "
            "hexadecimal digits."
        )
    return LinkedCommit(
        sha=sha,
        repo=repo,
        message=one_line(sent.message.strip().partition("\n")[0], _MESSAGE_CHARACTERS),
        url=_address(f"commits[{number}].url", sent.url),
        author=as_name(sent.author or "", _AUTHOR_CHARACTERS) or None,
        on_default=wanted.default,
        reported_at=now,
    )


def _pull(
    sent: ReportedPullRequest, number: int, repo: str, wanted: CommitsReport, now: int
) -> LinkedPullRequest:
    if not 0 < sent.number < _MAX_PULL_REQUEST_NUMBER:
        raise InvalidRequest(
            f"`pullRequests[{number}].number` must be the pull request's number, at least 1."
        )
    return LinkedPullRequest(
        repo=repo,
        number=sent.number,
        title=one_line(sent.title, _MESSAGE_CHARACTERS),
        url=_address(f"pullRequests[{number}].url", sent.url),
        state=sent.state,
        reported_at=now,
        at=happened_at(wanted, now),
    )


def _address(name: str, url: str | None) -> str | None:
    if url is None:
        return None
    plain = url.isprintable() and " " not in url and len(url) <= _MAX_URL_CHARACTERS
    if not plain or not url.lower().startswith(("https://", "http://")):
        raise InvalidRequest(
            f"`{name}` must be an http or https address of at most {_MAX_URL_CHARACTERS:,} characters, or null."
        )
    return url
