"""The example receiver, over real requests on the loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpdesk.events.kinds import WebhookEvent
from helpdesk_webhooks import sign, webhook_secret
from scripts import receiver

KEY = "svc_key_01jd3kq8v5zt4m9rx2c7w6ybne_7ELSZgnu18FMTahov29GNUbipw3AHOVcjqx4BIPWdkr"
SECRET = webhook_secret(KEY)
ROOT = Path(__file__).parents[3]
EVENT = {
    "id": "evt_0123456789abcdef0123456789abcdef",
    "type": "message.created",
    "createdAt": 1763683199500,
    "data": {
        "conversation": {"id": "conv_01jd3kq8v5zt4m9rx2c7w6ybne", "status": "open", "awaitingHuman": True},
        "message": {
            "sender": "agent",
            "agent": {"kind": "ai", "name": "Assistant", "avatarUrl": None},
            "body": "Open\nSettings \x1b[31mfirst.",
        },
    },
}
BODY = json.dumps(EVENT).encode()


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    """The server's port, while it runs in a thread."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def post(port: int, body: bytes, header: str | None = None, path: str = "/webhooks") -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", path, body, {} if header is None else {"svc-signature": header})
        return connection.getresponse().status
    finally:
        connection.close()


def signed(body: bytes = BODY) -> str:
    return sign(body, SECRET, time.time_ns() // 1_000_000)


# Deliveries


def test_a_valid_delivery_is_printed_as_verified_and_gets_200(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(SECRET))) as port:
        assert post(port, BODY, signed()) == 200
    printed = capsys.readouterr().out
    assert "message.created  evt_0123456789abcdef0123456789abcdef\n" in printed
    assert "signature     verified\n" in printed
    assert "first of this event" in printed
    assert "conv_01jd3kq8v5zt4m9rx2c7w6ybne, open, waiting for a person\n" in printed
    assert "answered      200\n" in printed


def test_a_body_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(SECRET))) as port:
        post(port, BODY, signed())
    printed = capsys.readouterr().out
    assert "Assistant (ai): Open Settings [31mfirst.\n" in printed
    assert "\x1b" not in printed


def test_a_changed_body_is_printed_with_the_reason_and_gets_400(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(SECRET))) as port:
        assert post(port, BODY + b" ", signed()) == 400
    assert "REFUSED, SignatureMismatch: " in capsys.readouterr().out


def test_a_delivery_without_signature_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(SECRET))) as port:
        assert post(port, b"hello") == 400
    printed = capsys.readouterr().out
    assert "REFUSED, SignatureMissing: " in printed
    assert "unknown event" in printed


def test_the_first_deliveries_of_each_event_fail_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    other = json.dumps({**EVENT, "id": "evt_fedcba9876543210fedcba9876543210"}).encode()
    with serving(receiver.Receiver(0, receiver.Journal(SECRET, fail=2))) as port:
        assert [post(port, BODY, signed()) for _ in range(3)] == [500, 500, 200]
        assert post(port, other, signed(other)) == 500
    printed = capsys.readouterr().out
    assert "number 3 of this event, the same bytes as the first" in printed
    assert "answered      500 on purpose" in printed


def test_a_retry_with_other_bytes_is_pointed_out(capsys: pytest.CaptureFixture[str]) -> None:
    altered = BODY.replace(b"first", b"later")
    with serving(receiver.Receiver(0, receiver.Journal(SECRET))) as port:
        post(port, BODY, signed())
        post(port, altered, signed(altered))
    assert "number 2 of this event, OTHER BYTES than the first" in capsys.readouterr().out


def test_without_a_key_it_says_that_nothing_was_checked(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(None))) as port:
        assert post(port, BODY) == 200
    assert "not checked, because no key is known" in capsys.readouterr().out


@pytest.mark.parametrize(
    "body", [b"[]", b"null", b"[" * 100_000, b'{"data": {"message": 1}}', b'{"data": []}', b"\xff"]
)
def test_no_body_breaks_it(body: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(None))) as port:
        assert post(port, body, "t=" + "9" * 6000) == 200
    assert "broke off" not in capsys.readouterr().out


def test_a_body_that_is_too_large_is_not_read() -> None:
    with serving(receiver.Receiver(0, receiver.Journal(None))) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.putrequest("POST", "/webhooks")
        connection.putheader("content-length", "1000001")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_a_get_explains_the_receiver() -> None:
    with serving(receiver.Receiver(0, receiver.Journal(None))) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/")
        assert b"POST webhooks here" in connection.getresponse().read()
        connection.close()


# Registering


class Registrations(ThreadingHTTPServer):
    """The part of the API that registering needs, with what it holds and what was asked of it."""

    def __init__(self, webhooks: list[dict[str, Any]]) -> None:
        self.webhooks = webhooks
        self.calls: list[tuple[str, str, Any]] = []
        super().__init__(("127.0.0.1", 0), _Registrations)


class _Registrations(BaseHTTPRequestHandler):
    server: Registrations

    def do_GET(self) -> None:
        self._answer({"webhooks": self.server.webhooks})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.calls.append((self.command, self.path, body))
        self.server.webhooks.append({"id": "we_1", **body})
        self._answer({"id": "we_1"})

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.calls.append((self.command, self.path, body))
        self._answer({"ok": True})

    def _answer(self, body: dict[str, Any]) -> None:
        refused = self.headers["authorization"] != f"Bearer {KEY}"
        if refused:
            body = {"error": {"code": "invalid_api_key", "message": "Create a key."}}
        raw = json.dumps(body).encode()
        self.send_response(401 if refused else 200)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


URL = "http://127.0.0.1:8787/webhooks"


def test_registering_twice_makes_one_endpoint_for_all_events() -> None:
    server = Registrations([])
    with serving(server) as port:
        api = receiver.Api(f"http://127.0.0.1:{port}/prefix", KEY)
        assert api.register(URL) == "registered as we_1 for all events"
        assert api.register(URL) == "was registered already, as we_1"
    assert server.calls == [("POST", "/prefix/v1/webhooks", {"url": URL, "events": list(receiver.EVENTS)})]


def test_an_endpoint_with_fewer_events_is_changed_to_all() -> None:
    server = Registrations([{"id": "we_7", "url": URL, "events": ["message.created"]}])
    with serving(server) as port:
        assert "now for all events" in receiver.Api(f"http://127.0.0.1:{port}", KEY).register(URL)
    assert server.calls == [("PATCH", "/v1/webhooks/we_7", {"url": URL, "events": list(receiver.EVENTS)})]


def test_a_refusal_is_shown_with_its_code_and_message() -> None:
    with serving(Registrations([])) as port:
        api = receiver.Api(f"http://127.0.0.1:{port}", "svc_key_another")
        with pytest.raises(receiver.Problem, match=r"answered 401: invalid_api_key: Create a key\."):
            api.register(URL)


def test_it_registers_for_every_kind_of_event() -> None:
    assert set(receiver.EVENTS) == {event.value for event in WebhookEvent}


# The command


def test_without_a_stack_one_line_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--register", "--port", "0", "--stack-file", str(tmp_path / "stack.json")]
    assert receiver.main(arguments) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_stack_that_does_not_answer_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stack = tmp_path / "stack.json"
    stack.write_text(json.dumps({"base_url": "http://127.0.0.1:9", "secret_key": KEY}))
    assert receiver.main(["--register", "--port", "0", "--stack-file", str(stack)]) == 1
    assert "Is the stack running? make up" in capsys.readouterr().err


def test_without_an_order_to_register_it_runs_without_a_stack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver.Receiver, "serve_forever", lambda *_, **__: None)
    assert receiver.main(["--port", "0", "--stack-file", str(tmp_path / "stack.json")]) == 0
    printed = capsys.readouterr().out
    assert "Not registered. No local stack is known here." in printed
    assert "signatures are not checked" in printed
    assert "Waiting for webhooks at http://127.0.0.1:" in printed


def test_with_registration_off_it_does_not_call_the_api(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver.Receiver, "serve_forever", lambda *_, **__: None)
    arguments = ["--no-register", "--port", "0", "--key", KEY, "--base-url", "http://127.0.0.1:9"]
    assert receiver.main([*arguments, "--stack-file", str(tmp_path / "stack.json")]) == 0
    assert "egistered" not in capsys.readouterr().out


def test_a_busy_port_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(receiver.Receiver(0, receiver.Journal(None))) as port:
        arguments = ["--port", str(port), "--stack-file", str(tmp_path / "stack.json")]
        assert receiver.main(arguments) == 1
    assert f"Port {port} of 127.0.0.1 cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_command_registers_receives_and_ends_cleanly(tmp_path: Path, ending: signal.Signals) -> None:
    server = Registrations([])
    with serving(server) as port:
        stack = tmp_path / "stack.json"
        stack.write_text(json.dumps({"base_url": f"http://127.0.0.1:{port}", "secret_key": KEY}))
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.receiver", "--stack-file", str(stack)],
            cwd=ROOT,
            env={**os.environ, "PORT": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert first.endswith("/webhooks registered as we_1 for all events.\n"), first
            assert "Waiting for webhooks" in process.stdout.readline()
            assert post(int(first.split(":")[2].split("/")[0]), BODY, signed()) == 200
            process.send_signal(ending)
            rest, _ = process.communicate(timeout=10)
        finally:
            process.kill()
            process.wait()
    assert "verified" in rest
    assert rest.endswith("Received: 1 deliveries, 1 events.\n")
    assert process.returncode == 0
    assert "Traceback" not in rest
