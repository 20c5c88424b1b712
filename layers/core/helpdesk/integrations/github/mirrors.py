"""Mirrored repositories as the API handles them (Specification: Knowledge and repositories)."""

import re
from urllib.parse import urlsplit

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import AddressPrivate, BadDocsUrl, RepoNameInvalid, RepoNotConnected
from helpdesk.integrations.github import account_lookup, mirror_store
from helpdesk.integrations.github.mirror_store import Mirror, MirrorStatus
from helpdesk.integrations.github.mirror_store import mirrors as stored
from helpdesk.integrations.github.schemas import MirrorAnswer, MirrorInput, MirrorsAnswer, RepoUpdate
from helpdesk.integrations.record import APPS
from helpdesk.outbound import addresses
from helpdesk.outbound.errors import InvalidUrl, RefusedAddress
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.progress.errors import MAX_BRANCH_CHARACTERS, MAX_REPO_CHARACTERS
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item

MAX_PATH_CHARACTERS = 500
_REPO = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")


def add(organization: str, wanted: MirrorInput, actor: str) -> Mirror:
    """Mirror a repository; the first sync begins at once.

    Raises RepoNameInvalid, RepoAlreadyConnected, BadDocsUrl, AddressPrivate, GitHubNotConnected, InvalidRequest.
    """
    repo = require_repo(wanted.repo)
    branch = _require_text("branch", wanted.branch, MAX_BRANCH_CHARACTERS)
    path = _require_folder(wanted.path)
    published_at = _require_docs_url(wanted.published_at)
    connection = account_lookup.require_owner(organization, repo)
    mirror = Mirror(
        organization=organization,
        id=ids.new("mirror"),
        repo=repo,
        branch=branch,
        path=path,
        published_at=published_at,
        status=MirrorStatus.SYNCING,
        documents=0,
        requested=1,
        job=ids.new("job"),
        job_at=clock.now_ms(),
    )
    said = f"the repository {repo} was mirrored."
    mirror_store.add(mirror, lambda transaction: integrations.add_note(transaction, connection, said, actor))
    return mirror


def change(organization: str, wanted: RepoUpdate, actor: str) -> Mirror:
    """Change the branch, folder or public address of a mirror and sync it. The documents of files that stay are kept.

    Raises RepoNotConnected, BadDocsUrl, AddressPrivate, InvalidRequest.
    """
    sent = wanted.model_fields_set
    branch = _require_text("branch", wanted.branch, MAX_BRANCH_CHARACTERS)
    path = _require_folder(wanted.path)
    published_at = _require_docs_url(wanted.published_at)

    def attempt() -> Mirror:
        seen = _require(organization, wanted.repo)
        changed = seen.__replace__(
            branch=branch if "branch" in sent else seen.branch,
            path=path if "path" in sent else seen.path,
            published_at=published_at if "published_at" in sent else seen.published_at,
        )
        if changed != seen:
            entry = _log_entry(seen, actor, f"the mirror of {seen.repo} was changed.")
            mirror_store.configure(seen, changed, lambda transaction: transaction.put(entry))
        return changed

    return repeat_when_stale(attempt, ConditionFailed)


def listed(organization: str) -> MirrorsAnswer:
    """Return the mirrored repositories by name. One call."""
    found = sorted(stored.all(organization), key=lambda each: each.repo.casefold())
    return MirrorsAnswer(repos=[MirrorAnswer.model_validate(each, from_attributes=True) for each in found])


def sync(organization: str, repo: str) -> None:
    """Ask for a sync of a mirrored repository. Raises RepoNotConnected."""
    repeat_when_stale(lambda: mirror_store.request(_require(organization, repo)), ConditionFailed)


def look_again(organization: str, repos: list[str]) -> None:
    """Ask for a sync of repositories, as far as they are still mirrored."""
    for repo in repos:
        try:
            sync(organization, repo)
        except RepoNotConnected:
            continue


def of_account(organization: str, account: str) -> list[Mirror]:
    """Return the mirrors of an account's repositories. One call."""
    return [each for each in stored.all(organization) if each.owner.casefold() == account.casefold()]


def to_look_at(organization: str, account: str) -> list[Mirror]:
    """Return the mirrors of an account's repositories, and those that failed: theirs may have come to it. One call."""
    return [
        each
        for each in stored.all(organization)
        if each.owner.casefold() == account.casefold() or each.status is MirrorStatus.FAILED
    ]


def of_push(organization: str, account: str, repo: str, branch: str, *, default: bool) -> list[Mirror]:
    """Return the mirrors that a push to a branch, maybe the default one, is about. One call."""
    return [
        each
        for each in of_account(organization, account)
        if each.repo.casefold() == repo.casefold()
        and (each.branch == branch or (each.branch is None and default))
    ]


def remove(organization: str, repo: str, actor: str) -> None:
    """Remove a mirror and, in the background, its documents. Raises RepoNotConnected."""

    def attempt() -> None:
        found = _require(organization, repo)
        entry = _log_entry(found, actor, f"the mirror of {found.repo} was removed.")
        mirror_store.remove(found, lambda transaction: transaction.put(entry))

    repeat_when_stale(attempt, ConditionFailed)


def _log_entry(mirror: Mirror, actor: str, said: str) -> Item:
    return logs.entry(
        mirror.organization,
        LogKind.INTEGRATION_CHANGED,
        actor=actor,
        summary=f"{APPS[App.GITHUB].service} ({mirror.owner}): {said}",
        app=App.GITHUB.value,
        account=mirror.owner,
    )


def require_repo(repo: str) -> str:
    """Return the name of a repository. Raises RepoNameInvalid."""
    name = repo.strip()
    if _REPO.fullmatch(name) is None or len(name) > MAX_REPO_CHARACTERS or name.split("/")[1] in {".", ".."}:
        raise RepoNameInvalid
    if name.casefold().endswith(".git"):  # GitHub gives no repository such a name
        raise RepoNameInvalid
    return name


def _require(organization: str, repo: str) -> Mirror:
    found = mirror_store.find(organization, repo.strip()) if _REPO.fullmatch(repo.strip()) else None
    if found is None:
        raise RepoNotConnected
    return found


def _require_text(name: str, text: str | None, most: int) -> str | None:
    line = (text or "").strip()
    if len(line) > most or not line.isprintable():
        raise InvalidRequest(f"`{name}` must be one line of at most {most} characters.")
    return line or None


def _require_folder(text: str | None) -> str | None:
    path = (_require_text("path", text, MAX_PATH_CHARACTERS) or "").strip("/")
    if path and any(part in {"", ".", ".."} for part in path.split("/")):
        raise InvalidRequest("`path` must be one folder of the repository, such as `docs/guides`.")
    return path or None


def _require_docs_url(url: str | None) -> str | None:
    if url is None or not url.strip():
        return None
    try:
        target = addresses.require_public(url.strip())
    except RefusedAddress:
        raise AddressPrivate from None
    except InvalidUrl:
        raise BadDocsUrl from None
    if target.scheme != "https" or urlsplit(target.url).query:
        raise BadDocsUrl
    return target.url.rstrip("/")
