"""The example receivers for FastAPI, Flask, Django and Express, each started and sent deliveries over loopback."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from helpdesk_webhooks import sign, webhook_secret
from tests.clients.example_server import COMMANDS, EXAMPLES, KEY, Server, running

SECRET = webhook_secret(KEY)
OTHER_SECRET = webhook_secret(
    "svc_key_01jd3kr0000000000000000000_HYp6NevCTk1IZq7OfwDUl2Jar8PgxEVm3Kbs9QhyFWn"
)
MINUTE = 60_000


@pytest.fixture(scope="module", params=list(COMMANDS))
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(request.param, tmp_path_factory.mktemp(request.param)) as started:
        yield started


def a_delivery(**changes: Any) -> tuple[str, bytes]:
    """An event and its id. The spaces are Helpdesk's to choose: a body that is parsed and written again loses them."""
    event_id = f"evt_{uuid4().hex}"
    message: dict[str, Any] = {
        "id": "msg_1",
        "sender": "visitor",
        "agent": None,
        "body": "Où est ma facture ? 👋",
        "attachments": [],
    }
    data = {"conversation": {"id": "conv_1", "status": "open", "awaitingHuman": False}, "message": message}
    event = {"id": event_id, "type": "message.created", "createdAt": now(), "data": data, **changes}
    return event_id, json.dumps(event, indent=1, ensure_ascii=False).encode()


def a_broken_delivery() -> tuple[str, bytes]:
    """An event that the examples' `handle` cannot handle: the message is missing."""
    return a_delivery(data={})


def now() -> int:
    return time.time_ns() // 1_000_000


def signed(body: bytes, *, secret: str = SECRET, age: int = 0) -> str:
    return sign(body, secret, now() - age)


def test_a_valid_delivery_is_accepted_and_handled(server: Server) -> None:
    event_id, body = a_delivery()
    assert server.post(body, signed(body)) == 204
    server.line(f"handled {event_id}: visitor wrote .Où est ma facture")


def test_a_valid_delivery_of_another_type_is_accepted_and_ignored(server: Server) -> None:
    event_id, body = a_delivery(type="a.later.kind", data={})
    assert server.post(body, signed(body)) == 204
    server.line(f"handled {event_id}: nothing to do for a.later.kind")


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin1"],
)
def test_the_body_is_read_raw_whatever_its_type(server: Server, content_type: str) -> None:
    event_id, body = a_delivery()
    assert server.post(body, signed(body), {"content-type": content_type}) == 204
    server.line(f"handled {event_id}:")


@pytest.mark.parametrize(
    ("secret", "age"),
    [(OTHER_SECRET, 0), (SECRET, 10 * MINUTE), (SECRET, -10 * MINUTE)],
    ids=["signed with another key", "ten minutes old", "ten minutes ahead"],
)
def test_a_wrong_signature_or_time_is_refused_and_not_handled(server: Server, secret: str, age: int) -> None:
    event_id, body = a_delivery()
    assert server.post(body, signed(body, secret=secret, age=age)) == 400
    assert_never_handled(server, event_id)


@pytest.mark.parametrize("header", [None, "", "t=1,v2=0", "nonsense"])
def test_a_missing_or_malformed_signature_is_refused(server: Server, header: str | None) -> None:
    event_id, body = a_delivery()
    assert server.post(body, header) == 400
    assert_never_handled(server, event_id)


@pytest.mark.parametrize("at", [0, 1, 40, -2, -1])
def test_a_body_altered_by_one_byte_is_refused(server: Server, at: int) -> None:
    event_id, body = a_delivery()
    altered = bytearray(body)
    altered[at] ^= 1
    assert server.post(bytes(altered), signed(body)) == 400
    assert_never_handled(server, event_id)


def test_a_body_with_the_same_meaning_in_other_bytes_is_refused(server: Server) -> None:
    event_id, body = a_delivery()
    assert server.post(json.dumps(json.loads(body)).encode(), signed(body)) == 400
    assert_never_handled(server, event_id)


def test_an_empty_body_and_invalid_json_are_refused(server: Server) -> None:
    for body in (b"", b"{", b"[]", b"\xff"):
        assert server.post(body, signed(b"{}")) == 400
        assert server.post(body, signed(body)) == 400


def test_a_body_that_no_delivery_can_have_is_refused_for_its_size(server: Server) -> None:
    body = b'{"id":"' + b"x" * 1_100_000 + b'"}'
    assert server.post(body, signed(body)) == 413


def test_a_repeated_event_gets_a_response_each_time_and_is_handled_once(server: Server) -> None:
    event_id, body = a_delivery()
    # Each attempt has its own signature, and the third comes after the event was handled.
    assert server.post(body, signed(body, age=2 * MINUTE)) == 204
    assert server.post(body, signed(body, age=MINUTE)) == 204
    server.line(f"handled {event_id}:")
    assert server.post(body, signed(body)) == 204
    assert_handled_once(server, event_id)


def test_an_event_that_comes_many_times_at_once_is_handled_once(server: Server) -> None:
    event_id, body = a_delivery()
    with ThreadPoolExecutor(8) as senders:
        answers = list(senders.map(lambda _: server.post(body, signed(body)), range(24)))
    assert answers == [204] * 24
    server.line(f"handled {event_id}:")
    assert_handled_once(server, event_id)


def assert_never_handled(server: Server, event_id: str) -> None:
    wait_for_the_next(server)
    assert event_id not in server.output()


def assert_handled_once(server: Server, event_id: str) -> None:
    wait_for_the_next(server)
    assert server.handled(event_id) == 1


def wait_for_the_next(server: Server) -> None:
    """Events are handled in the order of their arrival: after the next one, no earlier one follows."""
    next_id, body = a_delivery()
    assert server.post(body, signed(body)) == 204
    server.line(f"handled {next_id}:")


@pytest.mark.parametrize("framework", COMMANDS)
def test_a_failed_event_is_retried_also_after_a_crash_and_holds_up_no_other(
    framework: str, tmp_path: Path
) -> None:
    broken_id, broken = a_broken_delivery()
    good_id, good = a_delivery()
    with running(framework, tmp_path, try_again_after=0.5) as first:
        assert first.post(broken, signed(broken)) == 204
        first.line(f"tried again later: {broken_id}")
        assert first.post(good, signed(good)) == 204
        first.line(f"handled {good_id}:")
        first.line(f"tried again later: {broken_id}", times=2)
        assert first.handled(broken_id) == 0
    with running(framework, tmp_path, try_again_after=0.5) as second:
        second.line(f"tried again later: {broken_id}")
        assert second.post(good, signed(good)) == 204
        second.line(f"tried again later: {broken_id}", times=2)
        assert second.handled(good_id) == 0


@pytest.mark.parametrize("framework", COMMANDS)
def test_an_event_that_cannot_be_stored_gets_500_so_that_it_is_sent_again(
    framework: str, tmp_path: Path
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with running(framework, folder) as server:
        _, body = a_delivery()
        assert server.port
        shutil.rmtree(folder)
        assert server.post(body, signed(body)) == 500
        assert server.post(body, signed(body, secret=OTHER_SECRET)) == 400


@pytest.mark.parametrize("example", ["express", "widget_express"])
def test_the_lock_file_names_no_address(example: str) -> None:
    # npm writes "funding" addresses; take them out after renewing the file. .npmrc keeps the registry's out.
    text = (EXAMPLES / example / "package-lock.json").read_text(encoding="utf-8")
    assert "://" not in text
    packages = json.loads(text)["packages"]
    assert all(
        "integrity" in package
        for path, package in packages.items()
        if re.match(r"node_modules/(?!helpdesk)", path)
    )
