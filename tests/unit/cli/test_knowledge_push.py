"""How a push sends requests: waiting for the allowance, going on after an interruption, and what ends it."""

import itertools
import json
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli.knowledge.files import digest
from helpdesk_cli.knowledge.patience import AT_ONCE, Patience
from helpdesk_cli.problems import Refusal
from tests.support.cli import Cli, refusal

Hook = Callable[[httpx.Request], httpx.Response | None]


class KnowledgeBase(httpx.BaseTransport):
    """The document routes of the API, held in memory. `hook` may answer a request instead."""

    def __init__(self, hook: Hook = lambda _: None) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        self.hook = hook
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        self._numbers = itertools.count()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self.hook(request) or self.answer(request)
        finally:
            with self._lock:
                self.at_once -= 1

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Handle a request as the API does."""
        path = request.url.path.removeprefix("/helpdesk/v1/knowledge")
        sent = json.loads(request.content) if request.content else {}
        with self._lock:
            if path == "/folders":
                return httpx.Response(200, json={"folders": []})
            if request.method == "GET":
                return httpx.Response(
                    200, json={"documents": list(self.documents.values()), "nextCursor": None}
                )
            if request.method == "POST":
                made = self.document(f"doc_{next(self._numbers)}", sent)
                return httpx.Response(200, json={"id": made["id"]})
            if request.method == "DELETE":
                self.documents.pop(path.rpartition("/")[2])
                return httpx.Response(200, json={"ok": True})
            raise AssertionError(request.method)

    def document(self, document_id: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Add a document that a push made."""
        self.documents[document_id] = {
            "id": document_id,
            "title": sent["title"],
            "folderId": None,
            "url": None,
            "version": 1,
            "digest": digest(sent["body"]),
            "aliases": [],
            "source": {"kind": "written", "path": sent["path"], "version": 1},
        }
        return self.documents[document_id]

    @property
    def paths(self) -> list[str]:
        return sorted(one["source"]["path"] for one in self.documents.values())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with twelve documents."""
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(12):
        (root / f"{number:02}.md").write_text(f"# Document {number}\n")
    return root


def pushing(tmp_path: Path, service: KnowledgeBase) -> Cli:
    return Cli(service, tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})


def is_post(request: httpx.Request) -> bool:
    return request.method == "POST"


def test_a_few_requests_are_under_way_at_a_time(tmp_path: Path, docs: Path) -> None:
    together = threading.Barrier(AT_ONCE)

    def hook(request: httpx.Request) -> None:
        if is_post(request):
            together.wait(10)

    service = KnowledgeBase(hook)
    pushing(tmp_path, service).ok("knowledge", "push", str(docs))
    assert service.most_at_once == AT_ONCE == 4
    assert len(service.paths) == 12


def test_a_push_waits_as_often_as_the_allowance_is_used_up(tmp_path: Path, docs: Path) -> None:
    counted: list[str] = []

    def hook(request: httpx.Request) -> httpx.Response | None:
        counted.append(request.method)
        return refusal(429, "rate_limited", retry_after="120") if len(counted) % 3 == 0 else None

    service = KnowledgeBase(hook)
    user = pushing(tmp_path, service)
    result = user.run("knowledge", "push", str(docs))
    assert (result.exit_code, len(service.paths)) == (0, 12)
    assert sum(user.clock.slept) >= 120
    assert max(user.clock.slept) == 1.0  # so that Ctrl-C is not waited for


def test_a_wait_is_announced_once_and_then_only_a_longer_one(capsys: pytest.CaptureFixture[str]) -> None:
    waits = [2.0, 2.0, 1.0, 2.0, 45.0, 2.0, 45.0]

    def request() -> None:
        if waits:
            raise Refusal(429, "rate_limited", "Full.", retry_after=waits.pop(0))

    Patience(lambda _: None).call(request)
    assert capsys.readouterr().err.splitlines() == [
        "The allowance is used up. Continuing in 2 s, and then as it refills.",
        "The allowance is used up. Continuing in 45 s, and then as it refills.",
    ]


def test_a_service_that_stays_unavailable_ends_the_push(tmp_path: Path, docs: Path) -> None:
    service = KnowledgeBase(lambda request: refusal(503, "unavailable") if is_post(request) else None)
    result = pushing(tmp_path, service).run("knowledge", "push", str(docs))
    assert result.exit_code == 1
    assert result.stdout.count("! ") == 12


def test_an_allowance_that_returns_after_hours_is_not_waited_for() -> None:
    slept: list[float] = []

    def refused() -> None:
        raise Refusal(429, "rate_limited", "Full.", retry_after=3_600)

    with pytest.raises(Refusal):
        Patience(slept.append).call(refused)
    assert slept == []


def test_a_push_that_lost_the_service_is_continued_by_the_next_one(tmp_path: Path, docs: Path) -> None:
    counted: list[str] = []

    def hook(request: httpx.Request) -> None:
        counted.append(request.method)
        if len(counted) > 7:
            raise httpx.ConnectError("refused")

    service = KnowledgeBase(hook)
    user = pushing(tmp_path, service)
    result = user.run("knowledge", "push", str(docs))
    assert result.exit_code == 1
    assert "No response from" in result.stderr
    assert result.stderr.endswith("Run the same command again: it continues where it stopped.\n")
    assert len(service.paths) == 5

    service.hook = lambda _: None
    assert "Created 7, changed 0, moved 0, removed 0." in user.ok("knowledge", "push", str(docs))
    assert service.paths == [f"{number:02}.md" for number in range(12)]


def test_ctrl_c_ends_a_push_that_waits_and_the_next_one_continues(tmp_path: Path, docs: Path) -> None:
    counted: list[str] = []

    def hook(request: httpx.Request) -> httpx.Response | None:
        counted.append(request.method)
        return refusal(429, "rate_limited", retry_after="600") if len(counted) > 7 else None

    def interrupt(_: float) -> None:
        if not user.clock.slept:
            signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)

    service = KnowledgeBase(hook)
    user = pushing(tmp_path, service)
    user.clock.before_sleep = interrupt
    result = user.run("knowledge", "push", str(docs))
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "Error: Interrupted.\nRun the same command again: it continues where it stopped.\n"
    )
    assert len(user.clock.slept) < 600
    service.hook = lambda _: None
    user.clock.before_sleep = lambda _: None
    user.ok("knowledge", "push", str(docs))
    assert len(service.paths) == 12


def test_a_refused_credential_ends_the_push_at_once(tmp_path: Path, docs: Path) -> None:
    posts: list[str] = []

    def hook(request: httpx.Request) -> httpx.Response | None:
        if not is_post(request):
            return None
        posts.append(request.url.path)
        return refusal(403, "forbidden")

    result = pushing(tmp_path, KnowledgeBase(hook)).run("knowledge", "push", str(docs))
    assert result.exit_code == 1
    assert "Error: forbidden: " in result.stderr
    assert len(posts) <= AT_ONCE


def test_documents_beyond_the_quota_are_tried_again_after_removals(tmp_path: Path, docs: Path) -> None:
    service = KnowledgeBase()
    service.document("doc_old", {"title": "Old", "body": "Old", "path": "old.md"})
    refused: list[str] = []

    def hook(request: httpx.Request) -> httpx.Response | None:
        if not is_post(request) or "doc_old" not in service.documents:
            return None
        refused.append(request.url.path)
        return refusal(400, "upgrade_required", "The plan is full.")

    service.hook = hook
    output = pushing(tmp_path, service).ok("knowledge", "push", str(docs), "--yes")
    assert "Created 12, changed 0, moved 0, removed 1." in output
    assert len(refused) == 12


def test_of_documents_that_another_push_makes_at_the_same_time_the_older_ones_stay(
    tmp_path: Path, docs: Path
) -> None:
    def hook(request: httpx.Request) -> None:
        if is_post(request) and not service.documents:
            for number in range(3):
                path = f"{number:02}.md"
                service.document(f"a_{number}", {"title": "", "body": f"# Document {number}\n", "path": path})
            service.document("z_edited", {"title": "", "body": "Edited", "path": "04.md"})["version"] = 2

    service = KnowledgeBase(hook)
    result = pushing(tmp_path, service).run("knowledge", "push", str(docs))
    assert result.exit_code == 0
    assert "Another push ran at the same time. 3 documents that both created were removed." in result.stderr
    assert service.paths == sorted([f"{number:02}.md" for number in range(12)] + ["04.md"])
    assert {"a_0", "a_1", "a_2", "z_edited"} <= set(service.documents)


def test_documents_that_stay_beyond_the_quota_are_reported(tmp_path: Path, docs: Path) -> None:
    full = refusal(400, "upgrade_required", "The plan is full.")
    service = KnowledgeBase(lambda request: full if is_post(request) else None)
    refused = pushing(tmp_path, service).run("knowledge", "push", str(docs))
    assert refused.exit_code == 1
    assert "! 11.md: upgrade_required: The plan is full." in refused.stdout.splitlines()
    assert "Error: 12 documents need a decision; see above." in refused.stderr


def test_json_is_one_object_with_the_plan_and_what_was_done(tmp_path: Path, docs: Path) -> None:
    for number in range(2, 12):
        (docs / f"{number:02}.md").unlink()
    (docs / "latin.md").write_bytes(b"\xff\xfe")
    service = KnowledgeBase()
    result = pushing(tmp_path, service).run("knowledge", "push", str(docs), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "plan": {"create": ["00.md", "01.md"], "change": [], "move": [], "remove": [], "unchanged": []},
        "done": {"created": 2, "changed": 0, "moved": 0, "removed": 0},
        "attention": [{"path": "latin.md", "reason": "not UTF-8"}],
    }


def test_a_folder_without_documents_is_refused_before_the_api_is_called(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    service = KnowledgeBase(lambda _: pytest.fail("a request was sent"))
    for name in ("empty", "missing"):
        assert pushing(tmp_path, service).run("knowledge", "push", str(tmp_path / name)).exit_code == 1


def test_a_base_that_is_no_address_is_an_invalid_command_line(tmp_path: Path, docs: Path) -> None:
    service = KnowledgeBase(lambda _: pytest.fail("a request was sent"))
    for base in ("docs.example.com", "ftp://docs.example.com"):
        result = pushing(tmp_path, service).run("knowledge", "push", str(docs), "--url-base", base)
        assert result.exit_code == 2
