"""GitHub's page beside a local stack: an account with two repositories, where a person pushes and moves issues."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from scripts.services import codehost, codehost_hooks
from scripts.services import codehost_attempts as attempts
from scripts.services.codehost import BOT, CodeHost
from scripts.services.desks import Outlet
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Asked

ACCOUNT = "acme"
_FILES: Mapping[str, str | bytes | None] = {
    "docs/refunds.md": "# Refunds\n\nRefunds take three days.\n",
    "docs/shipping.md": "# Shipping\n\nParcels leave the same day if you order before noon.\n",
}


_MOST_FILES = 100
_FIXES = re.compile(r"\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+#(\d+)", re.IGNORECASE)


class CodeHostDesk:
    """GitHub, with its page."""

    title = "GitHub"

    def __init__(self, send: Outlet) -> None:
        self.send = send
        self.service = host = CodeHost()
        host.install(ACCOUNT, "docs", "shop")
        host.repositories["acme/docs"].push(_FILES)
        host.repositories["acme/shop"].push({"main.py": "print('shop')\n"})
        host.installations.clear()  # as at GitHub, the App is on no account until somebody installs it
        host.on_repeat = send
        host.on_issue = lambda repository, number, action: self._tell(
            lambda: codehost_hooks.issue(host, repository, number, action, sender=BOT)
        )

    def credentials(self) -> Mapping[str, str]:
        """Return what `scripts.admin set-app codehost` takes."""
        return codehost.credentials(self.service.key)

    def consent(self, asked: Asked, root: str) -> list[tuple[str, str]] | None:
        """Return the accounts on which the App can be installed, or who the person is.

        As at GitHub, the page of an installation leads back only from an account that does not have the App yet.
        """
        found = self._installation
        if asked.path.endswith("/login/oauth/authorize"):
            reached = () if found is None else (found,)
            return [("Authorize as mona", self.service.authorize(asked.query, *reached))]
        if not asked.path.endswith("/installations/new"):
            return None
        if found is not None:
            return [(f"{found.login} has the App: choose the other button", f"{root}/v1/connect/codehost")]
        found = self.install()
        back = {
            "code": self.service.code_for(found),
            "installation_id": found.id,
            "setup_action": "install",
            "state": asked.query["state"],
        }
        return [(f"Install on {found.login}", f"{root}/v1/connect/codehost/callback?{urlencode(back)}")]

    def shown(self) -> Mapping[str, Any]:
        """Return the repositories, and whether the App is installed."""
        return {
            "account": ACCOUNT,
            "most_files": _MOST_FILES,
            "installed": self._installation is not None,
            "loses_next": self.service.loses_next,
            "lost": [each.row for each in self.service.attempts],
            "repositories": [self.service.repositories[name] for name in sorted(self.service.repositories)],
        }

    def act(self, what: str, given: Mapping[str, str], files: Mapping[str, bytes]) -> None:
        """Do what a form asks for. Raises KeyError, ValueError, StopIteration."""
        if what == "uninstall":
            self._uninstall()
            return
        if what == "lose-next":
            self.service.loses_next = True
            return
        host, repository = self.service, self.service.repositories[given["repo"]]
        match what:
            case "push":
                content = given["content"].replace("\r\n", "\n").encode() or None
                self._push(repository, given["message"], {_path(given["path"]): content})
            case "rename-file":
                before, now = given["path"], _path(given["to"])
                kept = repository.branches[repository.default_branch][before]
                self._push(repository, f"Rename {before}", {before: None, now: kept})
            case "push-folder":
                self._push_folder(repository, given["message"], files)
            case "show-to":
                repository.private = given["to"] == "private"
                action = "privatized" if repository.private else "publicized"
                self._tell(lambda: codehost_hooks.repository_changed(host, repository, action))
            case "open-issue":
                number = repository.open_issue(given["title"], None, codehost_hooks.PERSON, host.clock())[
                    "number"
                ]
                self._tell(lambda: codehost_hooks.issue(host, repository, number, "opened"))
            case "change-issue":
                self._change_issue(repository, int(given["number"]), given["to"])
            case "pull-request":
                number, merged = int(given["number"]), given["to"] == "merged"
                self._tell(
                    lambda: codehost_hooks.pull_request(
                        host, repository, number, given["title"], merged=merged
                    )
                )
            case _:
                raise ValueError(what)

    @property
    def _installation(self) -> Installation | None:
        return next((each for each in self.service.installations.values() if each.login == ACCOUNT), None)

    def install(self) -> Installation:
        """Install the App: an installation of its own, for all repositories."""
        found = self.service.install(ACCOUNT)
        found.repositories |= set(self.service.repositories)
        return found

    def _uninstall(self) -> None:
        found = self._installation
        if found is not None:
            del self.service.installations[found.id]
            self.send(*codehost_hooks.installation(self.service, found, "deleted"))

    def _push(self, repository: Repository, message: str, changes: Mapping[str, bytes | None]) -> None:
        """Push a commit to the default branch. As at GitHub, it closes the issues that its message says it fixes."""
        before, message = repository.sha(), message.strip()
        if not message:
            raise ValueError(message)
        repository.push(changes)
        repository.log.insert(0, {"sha": repository.sha(), "message": message})
        self._tell(lambda: codehost_hooks.push(self.service, repository, before, message))
        for number in {int(found[1]) for found in _FIXES.finditer(message)}:
            if number in repository.issues and repository.issues[number]["state"] == "open":
                self._change_issue(repository, number, "completed")

    def _push_folder(self, repository: Repository, message: str, files: Mapping[str, bytes]) -> None:
        """Push a commit that leaves the files of a folder alone in a repository; their paths begin with the folder."""
        wanted: dict[str, bytes | None] = {
            path.partition("/")[2]: content
            for path, content in files.items()
            if "/" in path and "/.git/" not in path
        }
        if not wanted:
            raise ValueError("no files")
        gone = dict.fromkeys(repository.branches[repository.default_branch].keys() - wanted.keys())
        self._push(repository, message, {**wanted, **gone})

    def _change_issue(self, repository: Repository, number: int, to: str) -> None:
        reopened = to == "reopened"
        change = {"state": "open" if reopened else "closed", "state_reason": to}
        repository.change_issue(number, change, self.service.clock())
        action = "reopened" if reopened else "closed"
        self._tell(lambda: codehost_hooks.issue(self.service, repository, number, action))

    def _tell(self, sent: Callable[[], codehost_hooks.Sent]) -> None:
        """Send what happened, as GitHub does only where the App is installed, or lose it on the way."""
        if self._installation is None:
            return
        if self.service.loses_next:
            self.service.loses_next = False
            attempts.failed(self.service, *sent(), self._installation.id)
        else:
            self.send(*sent())


def _path(given: str) -> str:
    path = given.strip("/ ")
    if not path:
        raise ValueError(given)
    return path
