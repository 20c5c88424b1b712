"""Create a demo organization with its people, and load the project's guides as its knowledge."""

import json
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scripts.local import mailing, people
from scripts.local.calls import call
from scripts.local.deployment import Deployment
from scripts.local.operating import Operator, RefusedError
from scripts.local.progress import Problem, Progress
from scripts.local.settings import REGION, ROOT, StackSettings

GUIDES = ROOT / "docs" / "guides"
INDEX = ROOT / "docs" / "README.md"
INDEX_SECONDS = 120
_FIRST = (
    "webhook"  # how the names of the guides begin that are stored first, since the greeting asks about them
)
_MOST_DOCUMENTS = 200  # a list's largest page
_ORGANIZATION = ("organization_id", "secret_key", "publishable_key")


def seed(
    settings: StackSettings, operator: Operator, deployment: Deployment, progress: Progress
) -> dict[str, str]:
    """Create what is missing and return the description of the stack, as in stack.json. Errors: Problem."""
    with ThreadPoolExecutor(3) as pool:
        # What is asked below starts these functions; the first request to a function waits for that.
        for route in ("/v1/site", "/v1/knowledge/documents", "/v1/me"):
            pool.submit(call, settings, "", "GET", route)
        known = _known(settings)
        if known:  # the table may hold what an earlier version wrote
            _migrate(operator)
        people.verify_sender(settings)
        organization = _organization(settings, operator, known, progress)
        # Nothing of one is needed by the other.
        tokens = pool.submit(people.tokens, settings, operator, known | organization, progress)
        site_url = _open_site(settings, organization["secret_key"])
        waiting = _load_guides(settings, organization["secret_key"], progress)
    stack = {
        "base_url": settings.base_url,
        "live_url": settings.live_url,
        "endpoint_url": settings.endpoint_url,
        **mailing.described(settings, site_url),
        "mail_json_url": people.mail_json_url(settings),
        "site_url": site_url,
        "region": REGION,
        "table": deployment.outputs["TableName"],
        **({"services_url": settings.services_url} if settings.services else {}),
        **organization,
        **tokens.result(),
    }
    for path in settings.stack_files:
        _write_private(path, stack)
    _wait_until_ready(settings, organization["secret_key"], waiting)
    return stack


def _migrate(operator: Operator) -> None:
    try:
        operator.run("migrate")
    except RefusedError as refused:
        raise Problem(f"What the stack holds could not be brought up to date: {refused}") from None


def _known(settings: StackSettings) -> dict[str, str]:
    """Return the stack.json of an earlier start; empty when there is none that can be read."""
    try:
        known = json.loads(settings.stack_files[0].read_text(encoding="utf-8"))
        return {str(name): str(value) for name, value in known.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _organization(
    settings: StackSettings, operator: Operator, known: Mapping[str, str], progress: Progress
) -> dict[str, str]:
    """Keep the organization that stack.json names while its key works, else create one."""
    kept = {name: known[name] for name in _ORGANIZATION if name in known}
    if len(kept) == len(_ORGANIZATION):
        status, _ = call(settings, kept["secret_key"], "GET", "/v1/billing/limits")
        if status == 200:
            return kept
    progress.say("Creating a demo organization.")
    return _create_organization(operator)


def _create_organization(operator: Operator) -> dict[str, str]:
    """Create the demo organization with the operator's command.

    It is on Pro with the API limits add-on, so that trying and testing is not throttled. When its key was lost with
    stack.json, its slug is taken, and another is used.
    """
    _, name, email = people.PEOPLE["owner_token"]
    words = ["create-organization", "--name", "Demo", "--owner-name", name, "--owner-email", email]
    words += ["--plan", "pro", "--api-limits"]
    problem = ""
    for slug in ("demo", f"demo-{secrets.token_hex(4)}"):
        try:
            created = operator.run(*words, "--slug", slug)
        except RefusedError as refused:
            problem = str(refused)
            continue
        return {name: created[name] for name in _ORGANIZATION}
    raise Problem(f"The demo organization could not be created: {problem}")


def _open_site(settings: StackSettings, key: str) -> str:
    """Enable the help site, as far as nobody has set it up otherwise, and return its address."""
    status, site = call(settings, key, "GET", "/v1/site")
    if status == 200 and not site["enabled"]:
        change = {
            "enabled": True,
            "intro": "The project's guides, published as a help site.",
            "showBoard": True,
        }
        status, site = call(settings, key, "PATCH", "/v1/site", change)
    if status != 200:
        raise Problem(f"The help site could not be enabled: {status} {site}")
    return str(site["url"])


def _load_guides(settings: StackSettings, key: str, progress: Progress) -> list[str]:
    """Store every guide whose title the knowledge base does not have, and return the documents to wait for.

    Those are the first; the index takes half a minute for all, and the stack can be tried before.

    A guide that has changed since keeps its older text there: the API cannot replace a document yet.
    """
    present = _titles(settings, key)
    guides = [path for pattern in settings.guides for path in sorted(GUIDES.glob(pattern))]
    texts = {path: path.read_text(encoding="utf-8").partition("\n") for path in guides}
    titles = {path: heading.lstrip("# ").strip() for path, (heading, _, _) in texts.items()}
    missing = [path for path, title in titles.items() if title not in present]
    topics = _topics()
    wanted = {topics[path.name] for path in missing if path.name in topics}
    folders = _folders(settings, key, [topic for topic in dict.fromkeys(topics.values()) if topic in wanted])
    first: list[str] = []
    for guide in sorted(missing, key=lambda path: (not path.name.startswith(_FIRST), path)):
        document = {
            "title": titles[guide],
            "body": texts[guide][2].strip(),
            "published": True,
            # Links from guide to guide lead to their pages, by the path.
            "path": f"guides/{guide.name}",
            "folderId": folders.get(topics.get(guide.name, "")),
        }
        status, answer = call(settings, key, "POST", "/v1/knowledge/documents", document)
        if status != 200:
            raise Problem(f"docs/guides/{guide.name} was refused as a knowledge document: {status} {answer}")
        if guide.name.startswith(_FIRST):
            first.append(str(answer["id"]))
    if missing:
        progress.say(
            f"Indexing {len(missing)} guides of the project as knowledge: half a minute for all of them."
        )
    return first


def _titles(settings: StackSettings, key: str) -> set[str]:
    """Return the titles of all knowledge documents."""
    found: set[str] = set()
    cursor: str | None = ""
    while cursor is not None:
        after = f"&cursor={quote(cursor)}" if cursor else ""
        path = f"/v1/knowledge/documents?limit={_MOST_DOCUMENTS}{after}"
        status, answer = call(settings, key, "GET", path)
        if status != 200:
            raise Problem(f"The knowledge documents could not be listed: {status} {answer}")
        found |= {document["title"] for document in answer["documents"]}
        cursor = answer["nextCursor"]
    return found


def _topics() -> dict[str, str]:
    """Return the topic of each guide, by its file's name: the heading under which docs/README.md lists it."""
    found: dict[str, str] = {}
    for section in INDEX.read_text(encoding="utf-8").split("\n## ")[1:]:
        topic, _, table = section.partition("\n")
        found |= dict.fromkeys(re.findall(r"\(guides/([^)#]+)\)", table), topic)
    return found


def _folders(settings: StackSettings, key: str, names: Iterable[str]) -> dict[str, str]:
    """Return the ids of folders by their names. Create those that are missing, in this order."""
    status, answer = call(settings, key, "GET", "/v1/knowledge/folders")
    if status != 200:
        raise Problem(f"The knowledge folders could not be listed: {status} {answer}")
    found = {folder["name"]: folder["id"] for folder in answer["folders"]}
    for name in [name for name in names if name not in found]:
        body = {"name": name, "published": True}
        status, answer = call(settings, key, "POST", "/v1/knowledge/folders", body)
        if status != 200:
            raise Problem(f"The knowledge folder {name!r} could not be created: {status} {answer}")
        found[name] = str(answer["id"])
    return found


def _wait_until_ready(settings: StackSettings, key: str, waiting: list[str]) -> None:
    deadline = time.monotonic() + INDEX_SECONDS
    for document in waiting:
        while True:
            status, answer = call(settings, key, "GET", f"/v1/knowledge/documents/{document}")
            state = (answer.get("document") or answer).get("status") if status == 200 else None
            if state == "ready":
                break
            if state == "failed" or time.monotonic() > deadline:
                raise Problem(f"Knowledge document {document} did not become ready: {status} {answer}")
            time.sleep(0.2)


def _write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file that only its owner can read: it holds a secret key."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)
