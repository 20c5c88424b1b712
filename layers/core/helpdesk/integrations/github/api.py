"""A repository as GitHub shows it: the commit of a branch, the Markdown files of its tree, and their contents.

GitHub Docs, REST API endpoints for branches, Git trees, Git blobs and repository contents.
"""

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceReply, ServiceRequest, TooLarge
from helpdesk.integrations.errors import MAX_FILE_BYTES
from helpdesk.integrations.github import app_identity
from helpdesk.integrations.github.app_identity import API, ARCHIVES, HOSTS
from helpdesk.knowledge.errors import MAX_BODY_BYTES
from helpdesk.knowledge.images import is_image
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk_files.paths import is_markdown

MAX_TREE_BYTES = 60_000_000
MAX_ISSUES_BYTES = 50_000_000
"""Of a page of a hundred issues: each text has up to 65,536 characters, of up to six bytes in JSON."""
MAX_ARCHIVE_BYTES = 150_000_000
MAX_UNPACKED_BYTES = 2_000_000_000
_ARCHIVE_SECONDS = 40.0
_FORBIDDEN, _NOT_FOUND, _CONFLICT, _FOUND = 403, 404, 409, 302
_MOVED = {301, 307, 308}
_BY_ID = re.compile(re.escape(API) + r"/repositories/([0-9]{1,15})(?:/|$)")
_FILES = {"100644", "100755"}
_RAW = "application/vnd.github.raw+json"


class NotThere(Exception):
    """The repository, branch or folder is not there, or the App may not read it; the text says which, for an admin."""


class Renamed(NotThere):
    """The repository has another name by now, in this account or in another one; `number` is its id at GitHub."""

    def __init__(self, repo: str, number: int) -> None:
        super().__init__(f"The repository {repo} has another name by now.")
        self.number = number


class Snapshot(Record):
    """A commit with its Markdown files and images, hashes by path; `too_large` are the files that are not mirrored.

    `repo_id` is the repository's id at GitHub, which it keeps when it is renamed. `long` are files that may have more
    text than a document. `has_folder` says whether the mirrored folder is there.
    """

    repo_id: int
    archived: bool
    private: bool
    commit: str
    branch: str
    files: Mapping[str, str]
    too_large: tuple[str, ...]
    images: Mapping[str, str]
    long: tuple[str, ...] = ()
    has_folder: bool = True


def ask(account: Account, wanted: ServiceRequest) -> ServiceReply:
    """Send a request in an account's name. Raises TryLater where GitHub's limit is reached, and as `Account.send`."""
    return app_identity.within_limit(account.send(wanted))


def look(
    account: Account, repo: str, repo_id: int | None, branch: str | None, folder: str | None, until: int
) -> Snapshot:
    """Return the Markdown files and images of a branch (None for the default one), or of a folder. Three requests.

    More for a tree that does not fit a response: it is listed part by part until an instant (ms). Raises NotThere,
    Renamed (also if another repository has the name by now), and what `ask` raises.
    """
    shown = _shown(account, repo, repo_id)
    branch = branch or str(shown["default_branch"])
    commit = _branch(account, repo, branch)["commit"]
    rows = _rows(account, repo, commit["commit"]["tree"]["sha"], folder, until)
    files: dict[str, str] = {}
    images: dict[str, str] = {}
    too_large: list[str] = []
    long: list[str] = []
    has_folder = folder is None
    for path, row in rows:
        has_folder = True
        found = files if is_markdown(path) else images if is_image(path) else None
        if found is None or row["type"] != "blob" or row["mode"] not in _FILES:
            continue
        if row.get("size", 0) > MAX_FILE_BYTES:
            too_large.append(path)
        else:
            found[path] = row["sha"]
            if found is files and row.get("size", 0) > MAX_BODY_BYTES:
                long.append(path)
    return Snapshot(
        shown["id"],
        shown["archived"],
        shown["private"],
        commit["sha"],
        branch,
        files,
        tuple(too_large),
        images,
        tuple(long),
        has_folder,
    )


def _branch(account: Account, repo: str, branch: str) -> dict[str, Any]:
    reply = ask(account, ServiceRequest(url=f"{_at(repo)}/branches/{quote(branch, safe='')}"))
    if reply.status == _NOT_FOUND:
        raise NotThere(f"The repository {repo} has no branch {branch}.")
    if reply.status in _MOVED:
        _, is_branch, now = str(reply.json().get("url", "")).partition("/branches/")
        if is_branch:
            raise NotThere(
                f"The branch {branch} of {repo} is called {unquote(now)} by now. "
                "Remove the mirror, and mirror that branch."
            )
    return _read(reply, repo)


def id_of(account: Account, repo: str, known: int | None) -> int:
    """Return the id of a repository. Raises NotThere, Renamed where it is not the known one, and what `ask` raises."""
    return int(_shown(account, repo, known)["id"])


def issues_problem(account: Account, repo: str, known: int | None) -> str | None:
    """Return why no issue can be opened in a repository, as far as it shows. Raises what `id_of` raises."""
    shown = _shown(account, repo, known)
    if shown["archived"]:
        return (
            f"The repository {repo} is archived, so no issue can be opened. Unarchive it, or set another one."
        )
    if not shown["has_issues"]:
        return f"Issues of {repo} are switched off at GitHub. Switch them on, or set another repository."
    return None


def _shown(account: Account, repo: str, known: int | None) -> dict[str, Any]:
    try:
        shown = _read(ask(account, ServiceRequest(url=_at(repo))), repo)
    except Renamed as renamed:
        # The name may lead to another repository that had it later.
        raise Renamed(repo, known or renamed.number) from None
    if known is not None and shown["id"] != known:
        raise Renamed(repo, known)
    return shown


def name_of(account: Account, number: int) -> str:
    """Return the name of the repository with an id. Raises NotThere, and what `ask` raises."""
    reply = ask(account, ServiceRequest(url=f"{API}/repositories/{number}"))
    if not reply.ok:
        raise NotThere(f"GitHub answered {reply.status} for the repository with the id {number}.")
    return str(reply.json()["full_name"])


def require_same_name(reply: ServiceReply, repo: str) -> None:
    """Raise Renamed if a response leads to another name of the repository."""
    number = leads_to(reply)
    if number is not None:
        raise Renamed(repo, number)


def leads_to(reply: ServiceReply) -> int | None:
    """Return the id of the repository that a response leads to, or None if it leads to none."""
    found = _BY_ID.match(str(reply.json().get("url", ""))) if reply.status in _MOVED else None
    return None if found is None else int(found.group(1))


def blob(account: Account, repo: str, sha: str) -> bytes:
    """Return a file's content by its hash. Raises NotThere, Renamed, and what `ask` raises."""
    wanted = ServiceRequest(
        url=f"{_at(repo)}/git/blobs/{sha}", headers={"accept": _RAW}, max_bytes=MAX_FILE_BYTES + 1_000
    )
    reply = ask(account, wanted)
    require_same_name(reply, repo)
    if not reply.ok:
        raise NotThere(f"GitHub answered {reply.status} for a file of {repo}.")
    return reply.body


def archive(
    account: Account, repo: str, commit: str, wanted: Mapping[str, str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the wanted files of a commit, paths with their hashes, out of its archive. Two requests.

    A file whose content has another hash is left out: an archive may hold files otherwise than the repository does. So
    is the rest of an archive that is too large, or ends midway. Raises what `ask` raises, also where none comes.
    """
    reply = ask(account, ServiceRequest(url=f"{_at(repo)}/tarball/{commit}"))
    address = reply.headers.get("location", "")
    if reply.status != _FOUND or urlsplit(address).hostname != ARCHIVES:
        return
    try:
        packed = client.send(
            HOSTS,
            ServiceRequest(url=address, max_bytes=MAX_ARCHIVE_BYTES, deadline_seconds=_ARCHIVE_SECONDS),
        )
    except TooLarge:
        return
    if packed.ok:
        yield from _unpacked(packed.body, wanted)


def _unpacked(packed: bytes, wanted: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    room = MAX_UNPACKED_BYTES
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r|gz") as files:
            for entry in files:
                room -= entry.size
                if room < 0:
                    return
                path = entry.name.partition("/")[2]  # the first folder is named after the commit
                if entry.isreg() and path in wanted and entry.size <= MAX_FILE_BYTES:
                    opened = files.extractfile(entry)
                    content = b"" if opened is None else opened.read()
                    if blob_sha(content) == wanted[path]:
                        yield path, content
    except (tarfile.TarError, EOFError, OSError):
        return


def blob_sha(content: bytes) -> str:
    """Return the name that Git gives to a file's content."""
    return hashlib.sha1(b"blob %d\x00" % len(content) + content, usedforsecurity=False).hexdigest()


def _rows(
    account: Account, repo: str, tree: str, folder: str | None, until: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of a tree, or of a folder in it, with their paths in the repository."""
    whole = _tree(account, repo, tree, recursive=True)
    if not whole["truncated"]:
        prefix = f"{folder}/" if folder else ""
        for row in whole["tree"]:
            if row["path"].startswith(prefix):
                yield row["path"], row
        return
    start = ""
    for part in (folder or "").split("/") if folder else ():
        inside = _tree(account, repo, tree, recursive=False)["tree"]
        found = next((row for row in inside if row["type"] == "tree" and row["path"] == part), None)
        if found is None:
            return
        tree, start = found["sha"], f"{start}{part}/"
    yield from _part_by_part(account, repo, tree, start, until)


def _part_by_part(
    account: Account, repo: str, tree: str, start: str, until: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files below a folder: of each folder at once, or of those in it where that does not fit a response."""
    left, is_whole = [(start, tree)], not start
    while left:
        if clock.now_ms() >= until:
            raise NotThere(
                f"The repository {repo} is too large to be listed in time. Mirror one folder of it."
            )
        at, sha = left.pop()
        found = None if is_whole else _tree(account, repo, sha, recursive=True)  # of the whole it is known
        is_whole = False
        if found is None or found["truncated"]:
            found = _tree(account, repo, sha, recursive=False)
            left += [(f"{at}{row['path']}/", row["sha"]) for row in found["tree"] if row["type"] == "tree"]
        for row in found["tree"]:
            if row["type"] != "tree":
                yield f"{at}{row['path']}", row


def _tree(account: Account, repo: str, sha: str, *, recursive: bool) -> dict[str, Any]:
    url = f"{_at(repo)}/git/trees/{sha}{'?recursive=1' if recursive else ''}"
    try:
        reply = ask(account, ServiceRequest(url=url, max_bytes=MAX_TREE_BYTES))
    except TooLarge:
        found: dict[str, Any] = {"tree": [], "truncated": True}
    else:
        found = {"tree": [], "truncated": False} if reply.status == _CONFLICT else _read(reply, repo)
    if found["truncated"] and not recursive:  # what is not listed is not gone
        raise NotThere(
            f"A folder of {repo} has more entries than GitHub lists. Mirror one of its other folders."
        )
    return found


def _read(reply: ServiceReply, repo: str) -> dict[str, Any]:
    """Return a response's object. Raises NotThere."""
    require_same_name(reply, repo)
    if reply.status == _NOT_FOUND:
        raise NotThere(
            f"The repository {repo} does not exist, or the GitHub App may not read it. Let its owner give access."
        )
    if reply.status == _FORBIDDEN:
        raise NotThere(f"GitHub does not let the App read {repo}. Let its owner give access.")
    if not reply.ok:
        raise NotThere(f"GitHub answered {reply.status} for the repository {repo}.")
    found: dict[str, Any] = reply.json()
    return found


def _at(repo: str) -> str:
    return f"{API}/repos/{repo}"


_TEAM = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
_ROLES = frozenset({"admin", "maintain", "write", "triage"})


def works_on(account: Account, repo: str, person: Mapping[str, Any] | None, association: str) -> bool:
    """Return whether somebody may move issues of a repository, by the `author_association` that GitHub says of them.

    GitHub calls members CONTRIBUTOR whose membership is private, so anybody else is looked up. One request then. Apps
    count, because an owner installed them. Raises TryLater, Revoked.
    """
    if person is None:  # the account was deleted
        return False
    if association in _TEAM or person.get("type") == "Bot":
        return True
    url = f"{API}/repos/{repo}/collaborators/{quote(str(person['login']), safe='')}/permission"
    reply = ask(account, ServiceRequest(url=url))
    if not reply.ok:
        return False
    said = reply.json()
    return bool({said.get("permission"), said.get("role_name")} & _ROLES)
