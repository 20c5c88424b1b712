"""What this project changes in the emulator: workers share what they unpack, logs, refusals, its end."""

import asyncio
import importlib
import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scripts import gateway as api_document
from scripts.local import ministack
from scripts.mailbox import files

runtime = importlib.import_module("ministack.core.lambda_runtime")

HANDLER = "def handler(event, context):\n    return event\n"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(runtime, "zipfile", zipfile)  # set back afterwards
    monkeypatch.setattr(runtime, "open", open, raising=False)
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(runtime, "subprocess", SimpleNamespace(**vars(subprocess) | {"Popen": start}))
    ministack.share_content(tmp_path)
    yield tmp_path
    runtime.reset()
    # MiniStack leaves the pipes of a worker that it ended to the garbage collector.
    for process in started:
        process.__exit__(None, None, None)


def zipped(text: str, library: bytes = b"") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("app.py", text)
        if library:
            archive.writestr("library/library.so", library)
    return target.getvalue()


def worker(text: str = HANDLER, name: str = "greet", library: bytes = b"") -> Any:
    config = {
        "Runtime": "python3.13",
        "Handler": "app.handler",
        "FunctionName": name,
        "FunctionArn": f"arn:aws:lambda:us-east-1:000000000000:function:{name}",
        "Timeout": 30,
    }
    made, _ = runtime.acquire_worker(name, config, zipped(text, library))
    return made


def unpacked(temporary: Path) -> list[str]:
    return sorted(path.read_text(encoding="utf-8") for path in temporary.glob("shared/*/app.py"))


def test_two_workers_of_a_function_answer_from_one_copy_of_its_code(temporary: Path) -> None:
    workers = [worker(), worker()]

    answers = [one.invoke({"number": 1}, "id") for one in workers]

    assert [answer["result"] for answer in answers] == [{"number": 1}, {"number": 1}]
    assert len(list(temporary.glob("ministack-lambda-*"))) == 2
    assert unpacked(temporary) == [HANDLER]


def test_a_large_library_of_two_functions_is_one_file(temporary: Path) -> None:
    library = bytes(1_000_000)
    for text in (HANDLER, f"{HANDLER}# Another function."):
        worker(text, library=library).invoke({}, "id")

    found = list(temporary.glob("shared/*/library/library.so"))
    assert [path.read_bytes() == library for path in found] == [True, True]
    assert len({path.stat().st_ino for path in found}) == 1


def test_a_worker_keeps_no_archive(temporary: Path) -> None:
    worker().invoke({}, "id")

    assert list(temporary.rglob("*.zip")) == []


def test_code_that_an_update_replaced_is_removed_when_the_next_is_unpacked(temporary: Path) -> None:
    worker().invoke({}, "id")
    runtime.invalidate_worker("greet")

    worker(HANDLER + "# changed\n").invoke({}, "id")

    assert unpacked(temporary) == [HANDLER + "# changed\n"]


def test_code_that_a_worker_uses_stays_when_other_code_is_unpacked(temporary: Path) -> None:
    worker().invoke({}, "id")

    worker(HANDLER + "# another\n", name="leave").invoke({}, "id")

    assert unpacked(temporary) == [HANDLER, HANDLER + "# another\n"]


def test_the_end_of_a_worker_leaves_the_code_that_another_uses(temporary: Path) -> None:
    first, second = worker(), worker()
    for one in (first, second):
        one.invoke({}, "id")

    first.kill()

    assert unpacked(temporary) == [HANDLER]
    assert second.invoke({"number": 2}, "id")["result"] == {"number": 2}


def test_the_lines_that_a_worker_logs_come_with_its_response(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime.Worker, "_drain_stderr_bounded", runtime.Worker._drain_stderr_bounded)
    ministack.read_logs_at_once()
    log = "import sys\ndef handler(event, context):\n    print(event['line'], file=sys.stderr)\n    1 / event['by']\n"
    one = worker(log)

    answers = [one.invoke({"line": line, "by": by}, "id") for line, by in (("a", 1), ("b", 1), ("c", 0))]

    assert [(answer["status"], answer["log"].split("\n")[0]) for answer in answers] == [
        ("ok", "a"),
        ("ok", "b"),
        ("error", "c"),
    ]


def test_the_gateway_refuses_in_the_words_of_the_api_document(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = importlib.import_module("ministack.services.apigateway_v1")
    monkeypatch.setattr(gateway, "_import_rest_api", vars(gateway)["_import_rest_api"])  # set back afterwards
    ministack.answer_refusals_as_declared()
    responses = json.loads(api_document.text())["x-amazon-apigateway-gateway-responses"]
    deployed = {"paths": {"/": {}}, "x-amazon-apigateway-gateway-responses": responses}
    api_id = gateway._import_rest_api(deployed, {"name": "refusing"})
    gateway._create_deployment(api_id, {"stageName": "live"})

    status, headers, body = asyncio.run(
        gateway._handle_execute_in_scope(api_id, "live", "GET", "/nowhere", {}, b"", {}, None, None)
    )

    assert status == 404
    assert json.loads(body) == {"error": {"code": "not_found", "message": "There is no such route."}}
    assert headers["x-request-id"]
    gateway.reset()


def test_it_ends_when_it_has_saved_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    application = importlib.import_module("ministack.app")
    steps: list[str] = []

    async def send(message: dict[str, Any]) -> None:
        steps.append(message["type"])

    async def lifespan(_scope: Any, _receive: Any, send: ministack.Send) -> None:
        await send({"type": "lifespan.startup.complete"})
        steps.append("saved")
        await send({"type": "lifespan.shutdown.complete"})

    monkeypatch.setattr(application, "_handle_lifespan", lifespan)
    monkeypatch.setattr("os._exit", lambda code: steps.append(f"ended with {code}"))
    ministack.end_when_saved()
    asyncio.run(application._handle_lifespan({}, None, send))

    assert steps[:3] == ["lifespan.startup.complete", "saved", "ended with 0"]


def test_a_mail_is_kept_as_it_was_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ses = importlib.import_module("ministack.services.ses_v2")
    monkeypatch.setattr(ses, "handle_request", ses.handle_request)  # set back afterwards
    ministack.keep_sent_mails(tmp_path)
    request = {
        "FromEmailAddress": "helpdesk@example.com",
        "Destination": {"ToAddresses": ["grace@example.com"]},
        "Content": {
            "Simple": {"Subject": {"Data": "Hello"}, "Body": {"Text": {"Data": "Hi"}}, "Headers": []}
        },
        "EmailTags": [{"Name": "message", "Value": "msg_1"}],
    }
    monkeypatch.setitem(ses._identities, "helpdesk@example.com", {"VerifiedForSendingStatus": True})
    path = "/v2/email/outbound-emails"
    answer = asyncio.run(ses.handle_request("POST", path, {}, json.dumps(request).encode(), {}))

    [kept] = files.newest(tmp_path, 10)
    assert kept.sent == request | json.loads(answer[2])
