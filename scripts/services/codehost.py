"""GitHub, as far as the code host's adapter asks it: an App with installations, repositories, issues, hooks."""

import hashlib
import hmac
import io
import json
import re
import tarfile
import time
import uuid
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from scripts.app_manifests import GITHUB_PERMISSIONS
from scripts.services import codehost_attempts as attempts
from scripts.services import codehost_people as people
from scripts.services import codehost_shapes as shapes
from scripts.services.codehost_attempts import Attempt
from scripts.services.codehost_people import NOT_FOUND
from scripts.services.codehost_shapes import API, iso
from scripts.services.repositories import SLUG, Installation, Person, Repository, blob_sha, entry
from scripts.services.server import Asked, Said

HOOK_SECRET = "a secret that GitHub and the App share"
BOT = f"{SLUG}[bot]"


@cache
def private_key() -> str:
    """Return the App's key, in PEM."""
    return (
        rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        .decode()
    )


def credentials(key: str = "") -> dict[str, str]:
    """Return what an operator enters with `scripts.admin set-app codehost`; the App has its own key unless given."""
    return {
        "app_id": "4711",
        "slug": SLUG,
        "client_id": people.CLIENT_ID,
        "client_secret": people.CLIENT_SECRET,
        "private_key": key or private_key(),
        "hook_secret": HOOK_SECRET,
    }


class CodeHost:
    """GitHub. Tests change its state; `hook` returns what it would send.

    `on_issue` takes what the API did to an issue: opened, closed, reopened. `on_repeat` takes a hook that it was asked
    to deliver again; `attempts` are those that failed before, and `loses_next` is whether the page's next
    hook fails, too. `key` is the App's, in PEM.
    """

    hosts = frozenset({"api.github.com", "github.com", "codeload.github.com"})

    def __init__(self, key: str = "") -> None:
        self.key = key or private_key()
        self.on_issue: Callable[[Repository, int, str], None] = lambda *_: None
        self.on_repeat: Callable[[Mapping[str, str], str], None] = lambda *_: None
        self.attempts: list[Attempt] = []
        self.loses_next = False
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[str, Repository] = {}
        self.moved: dict[str, int] = {}
        self.codes: dict[str, Person] = {}
        self.challenges: dict[str, tuple[str, str]] = {}
        self.registered: dict[str, Mapping[str, Any]] = {}
        self.tokens: dict[str, int] = {}
        self.person_tokens: dict[str, Person] = {}
        self.roles = dict.fromkeys(shapes.TEAM, "write")
        self.revoked: set[int] = set()
        self.token_seconds = 3_600
        self.clock: Callable[[], float] = time.time
        self._number = 0

    def next_number(self) -> int:
        """Return a number that nothing had before."""
        self._number += 1
        return self._number

    def install(self, login: str, *repositories: str) -> Installation:
        """Install the App on an account, for these repositories of it."""
        made = Installation(1_000 + self.next_number(), login)
        self.installations[made.id] = made
        for name in repositories:
            self.add(made, name)
        return made

    def add(self, installation: Installation, name: str) -> Repository:
        """Add a repository to an account and let the App read it."""
        made = Repository(f"{installation.login}/{name}", 9_000 + self.next_number(), installation.account_id)
        made.replace({})
        self.repositories[made.full_name] = made
        installation.repositories.add(made.full_name)
        return made

    def rename(self, before: str, now: str) -> Repository:
        """Give a repository another name, or another owner: the App may read it where it is installed."""
        repository = self.repositories.pop(before)
        repository.full_name = now
        self.repositories[now], self.moved[before] = repository, repository.id
        for each in self.installations.values():
            each.repositories.discard(before)
            if each.login == repository.owner:
                each.repositories.add(now)
                repository.owner_id = each.account_id
        return repository

    def rename_account(self, installation: Installation, login: str) -> None:
        """Give an account another name; its repositories have it, too."""
        names, installation.login = sorted(installation.repositories), login
        for name in names:
            self.rename(name, f"{login}/{name.partition('/')[2]}")

    def code_for(self, *installations: Installation, **who: Any) -> str:
        """Return the code that GitHub gives to a person who can reach these installations, as who owns their accounts.

        With another `role` they can read a repository of each, as a member of the organization or (None) as no member.
        So they can where they are a `guest_in`.
        """
        code = f"code-{self.next_number()}"
        self.codes[code] = Person(installations, **who)
        return code

    def authorize(self, query: Mapping[str, str], *installations: Installation, **who: Any) -> str:
        """Return where a person is led who authorizes the App; the rest as for `code_for`. Raises ValueError."""
        return people.leads_back(self, query, self.code_for(*installations, **who))

    def register(self, manifest: Mapping[str, Any]) -> str:
        """Register the App of a manifest; return the code that leads to its credentials."""
        code = f"manifest-{self.next_number()}"
        self.registered[code] = manifest
        return code

    def answer(self, asked: Asked) -> Said:
        """Answer a request."""
        for method, pattern, function in _ROUTES:
            found = re.fullmatch(pattern, f"{asked.host}{asked.path}")
            if found is not None and asked.method == method:
                return function(self, asked, *found.groups())
        return NOT_FOUND

    def hook(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        delivery: str = "",
        secret: str = HOOK_SECRET,
    ) -> tuple[dict[str, str], str]:
        """Return the headers and the body with which GitHub sends an event."""
        body = json.dumps(payload)
        return {
            "content-type": "application/json",
            "x-github-event": event,
            "x-github-delivery": delivery or str(uuid.uuid4()),
            "x-github-hook-id": "1",
            "x-github-hook-installation-target-id": "4711",
            "x-github-hook-installation-target-type": "integration",
            **self.sign(body, secret),
            "user-agent": "GitHub-Hookshot/0123456",
        }, body

    @staticmethod
    def sign(body: str, secret: str = HOOK_SECRET) -> dict[str, str]:
        """Return the header with which GitHub signs a body."""
        signature = hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()
        return {"x-hub-signature-256": f"sha256={signature}"}

    # ---------------------------------------------------------------------------------------------- what it answers

    def _convert(self, _asked: Asked, code: str) -> Said:
        manifest = self.registered.pop(code, None)
        if manifest is None:
            return NOT_FOUND
        known = credentials(self.key)
        return Said(
            201,
            {
                **shapes.app(SLUG, manifest["name"], shapes.user("mona", 6), manifest["url"]),
                "client_id": known["client_id"],
                "client_secret": known["client_secret"],
                "webhook_secret": known["hook_secret"],
                "pem": known["private_key"],
            },
        )

    def is_the_app(self, asked: Asked) -> bool:
        """Return whether the App itself asks: its token is signed with its key, and lasts ten minutes at most."""
        key = serialization.load_pem_private_key(self.key.encode(), None)
        assert isinstance(key, rsa.RSAPrivateKey)
        try:
            claims = jwt.decode(
                asked.bearer,
                key.public_key(),
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False},
            )
        except jwt.InvalidTokenError:
            return False
        return bool(claims["iss"] == "4711" and claims["exp"] - claims["iat"] <= 600)

    def _installation_token(self, asked: Asked, number: str) -> Said:
        if not self.is_the_app(asked):
            return Said(401, {"message": "A JSON web token could not be decoded"})
        installation = self.installations.get(int(number))
        if installation is None:
            return NOT_FOUND
        if installation.suspended:
            return Said(403, {"message": "This installation has been suspended"})
        token = f"ghs_{number}_{self.next_number()}"
        self.tokens[token] = installation.id
        ends_at = iso(self.clock() + self.token_seconds)
        return Said(201, {"token": token, "expires_at": ends_at, "permissions": dict(GITHUB_PERMISSIONS)})

    def _repository(self, asked: Asked, name: str) -> Repository | Said:
        """Return a repository that the request's token may read, or the refusal."""
        number = self.tokens.get(asked.bearer)
        installation = self.installations.get(number) if number is not None else None
        if installation is None or number in self.revoked:
            return Said(401, {"message": "Bad credentials"})
        found = self.repositories.get(name)
        if found is None and name in self.moved:
            return self._moved_to(asked, self.moved[name])
        if found is None or name not in installation.repositories:
            return NOT_FOUND
        return found

    def _moved_to(self, asked: Asked, number: int) -> Said:
        """Lead to the address with the id of a repository, which keeps it under another name."""
        url = f"{API}/repositories/{number}"
        said = {
            "message": "Moved Permanently",
            "url": url,
            "documentation_url": "https://docs.github.com/rest",
        }
        return Said(301 if asked.method == "GET" else 307, said, headers={"location": url})

    def _by_id(self, asked: Asked, number: str) -> Said:
        names = [name for name, each in self.repositories.items() if each.id == int(number)]
        return self._get_repository(asked, names[0]) if names else NOT_FOUND

    def _installed(self, _asked: Asked, number: str) -> Said:
        found = self.installations.get(int(number))
        return NOT_FOUND if found is None else Said(200, found.shape())

    def _get_repository(self, asked: Asked, name: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        return Said(200, {**found.shape(), "network_count": 0, "subscribers_count": 0})

    def _branch(self, asked: Asked, name: str, branch: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        if branch not in found.branches:
            return Said(404, {"message": "Branch not found"})
        author = shapes.user("mona", 6)
        return Said(200, shapes.branch(name, branch, found.sha(branch), author))

    def _tree(self, asked: Asked, name: str, sha: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        commit, _, folder = sha.partition("-")
        files = found.commits.get(commit)
        if files is None:
            return NOT_FOUND
        folder = bytes.fromhex(folder).decode()
        inside = {path[len(folder) :]: content for path, content in files.items() if path.startswith(folder)}
        recursive = "recursive" in asked.query
        truncated = recursive and found.most_entries is not None and len(inside) > found.most_entries
        rows = (
            []
            if truncated
            else [
                entry(path, content)
                for path, content in sorted(inside.items())
                if recursive or "/" not in path
            ]
        )
        names = sorted({path.partition("/")[0] for path in inside if "/" in path})
        rows += [
            {
                "path": each,
                "mode": "040000",
                "type": "tree",
                "sha": f"{commit}-{f'{folder}{each}/'.encode().hex()}",
            }
            for each in names
            if not recursive
        ]
        return Said(
            200,
            {"sha": sha, "url": f"{API}/repos/{name}/git/trees/{sha}", "tree": rows, "truncated": truncated},
        )

    def _blob(self, asked: Asked, name: str, sha: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        for files in found.commits.values():
            for content in files.values():
                if blob_sha(content) == sha:
                    return Said(
                        200, body=content, headers={"content-type": "application/vnd.github.raw+json"}
                    )
        return NOT_FOUND

    def _tarball(self, asked: Asked, name: str, ref: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        return Said(
            302, headers={"location": f"https://codeload.github.com/{name}/legacy.tar.gz/{ref}?token=once"}
        )

    def _archive(self, _asked: Asked, name: str, ref: str) -> Said:
        files, out = self.repositories[name].commits[ref], io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for path, content in files.items():
                entry = tarfile.TarInfo(f"{name.replace('/', '-')}-{ref[:7]}/{path}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        return Said(200, body=out.getvalue(), headers={"content-type": "application/x-gzip"})

    def _issues(self, asked: Asked, name: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        field = {"updated": "updated_at"}.get(asked.query.get("sort", ""), "number")
        size, page = int(asked.query.get("per_page", 30)), int(asked.query.get("page", 1))
        rows = sorted(
            (each for each in found.issues.values() if each["updated_at"] >= asked.query.get("since", "")),
            key=lambda each: (each[field], each["number"]),
            reverse=asked.query.get("direction", "desc") == "desc",
        )
        return Said(200, [shapes.listed_issue(each) for each in rows[(page - 1) * size : page * size]])

    def _open_issue(self, asked: Asked, name: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        issue = found.open_issue(asked.json["title"], asked.json.get("body"), BOT, self.clock())
        self.on_issue(found, issue["number"], "opened")
        return Said(201, issue)

    def _issue(self, asked: Asked, name: str, number: str) -> Said:
        found = self._repository(asked, name)
        if isinstance(found, Said):
            return found
        issue = found.issues.get(int(number))
        if issue is None:
            return NOT_FOUND
        if asked.method == "PATCH":
            before = issue["state"]
            found.change_issue(int(number), asked.json, self.clock(), BOT)
            if issue["state"] != before:
                self.on_issue(found, int(number), "closed" if issue["state"] == "closed" else "reopened")
        return Said(200, issue)


_NAME = r"([\w.-]+/[\w.-]+)"
_ROUTES: list[tuple[str, str, Callable[..., Said]]] = [
    ("POST", r"github\.com/login/oauth/access_token", people.exchange),
    ("POST", r"api\.github\.com/app-manifests/([\w-]+)/conversions", CodeHost._convert),
    ("GET", r"api\.github\.com/user/installations", people.installations),
    ("GET", r"api\.github\.com/user", people.person),
    ("GET", r"api\.github\.com/user/memberships/orgs/([\w-]+)", people.membership),
    ("GET", r"api\.github\.com/app/hook/deliveries", attempts.listed),
    ("POST", r"api\.github\.com/app/hook/deliveries/(\d+)/attempts", attempts.repeat),
    ("POST", r"api\.github\.com/app/installations/(\d+)/access_tokens", CodeHost._installation_token),
    ("GET", r"api\.github\.com/app/installations/(\d+)", CodeHost._installed),
    ("GET", r"api\.github\.com/repositories/(\d+)", CodeHost._by_id),
    ("GET", rf"api\.github\.com/repos/{_NAME}", CodeHost._get_repository),
    ("GET", rf"api\.github\.com/repos/{_NAME}/branches/(.+)", CodeHost._branch),
    ("GET", rf"api\.github\.com/repos/{_NAME}/collaborators/([\w-]+)/permission", people.permission),
    ("GET", rf"api\.github\.com/repos/{_NAME}/git/trees/([\w-]+)", CodeHost._tree),
    ("GET", rf"api\.github\.com/repos/{_NAME}/git/blobs/(\w+)", CodeHost._blob),
    ("GET", rf"api\.github\.com/repos/{_NAME}/tarball/(\w+)", CodeHost._tarball),
    ("GET", rf"codeload\.github\.com/{_NAME}/legacy\.tar\.gz/(\w+)", CodeHost._archive),
    ("GET", rf"api\.github\.com/repos/{_NAME}/issues", CodeHost._issues),
    ("POST", rf"api\.github\.com/repos/{_NAME}/issues", CodeHost._open_issue),
    ("GET", rf"api\.github\.com/repos/{_NAME}/issues/(\d+)", CodeHost._issue),
    ("PATCH", rf"api\.github\.com/repos/{_NAME}/issues/(\d+)", CodeHost._issue),
]
