"""The processes of the emulator's functions fork from one that has imported their libraries."""

import importlib
import io
import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.local import ministack
from scripts.local.forking import Parents
from scripts.local.warm_parent import LIBRARIES

runtime = importlib.import_module("ministack.core.lambda_runtime")
service = importlib.import_module("ministack.services.lambda_svc")

REPORT = """
import os, sys
STARTED_WITH = set(sys.modules)
import shared
calls = []
def handler(event, context):
    print("a line of", event["name"], file=sys.stderr)
    calls.append(event["name"])
    return {
        "pid": os.getpid(), "parent": os.getppid(), "calls": calls, "shared": shared.TEXT,
        "setting": os.environ.get("SETTING"), "folder": os.getcwd(), "file": __file__,
        "imported": sorted(STARTED_WITH), "arguments": sys.argv,
    }
"""
WAIT = "import time\ndef handler(event, context):\n    time.sleep(60)\n"
END = "import os\ndef handler(event, context):\n    os._exit(1)\n"
BROKEN = "import nothing_of_this_name\n"


def zipped(**files: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            # Always of 1980: the same content is the same archive.
            archive.writestr(zipfile.ZipInfo(name.replace("__", "/") + ".py"), text)
    return target.getvalue()


@pytest.fixture(scope="module")
def parents() -> Iterator[Parents]:
    kept = Parents()
    yield kept
    kept.end()


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests: a parent is known by the folders of its layers, and its start takes the longest."""
    return tmp_path_factory.mktemp("emulator")


@pytest.fixture
def layer() -> dict[str, bytes]:
    """The archive of the functions' layer, by the name `layer`."""
    return {"layer": zipped(python__shared="TEXT = 'first'\n")}


@pytest.fixture(autouse=True)
def emulator(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, parents: Parents, layer: dict[str, bytes]
) -> Iterator[None]:
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    for name in ("zipfile", "subprocess"):
        monkeypatch.setattr(runtime, name, getattr(runtime, name))  # set back afterwards
    monkeypatch.setattr(runtime, "open", open, raising=False)
    monkeypatch.setattr(runtime.Worker, "_drain_stderr_bounded", runtime.Worker._drain_stderr_bounded)
    monkeypatch.setattr(service, "_resolve_layer_zip", lambda _: layer["layer"])
    ministack.share_content(temporary)
    ministack.fork_workers(parents)
    ministack.read_logs_at_once()
    fork, started = runtime.subprocess.Popen, []

    def start(*arguments: Any, **options: Any) -> Any:
        started.append(fork(*arguments, **options))
        return started[-1]

    runtime.subprocess.Popen = start
    yield
    runtime.reset()
    # MiniStack leaves the pipes of a worker that it ended to the garbage collector.
    for process in started:
        process.wait(5)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def worker(text: str = REPORT, *, timeout: int = 30, **variables: str) -> Any:
    config = {
        "Runtime": "python3.13",
        "Handler": "app.handler",
        "FunctionName": "greet",
        "FunctionArn": "arn:aws:lambda:us-east-1:000000000000:function:greet",
        "Timeout": timeout,
        "Layers": ["layer"],
        "Environment": {"Variables": variables},
    }
    made, _ = runtime.acquire_worker("greet", config, zipped(app=text))
    return made


def result_of(one: Any, name: str = "event") -> dict[str, Any]:
    answer = one.invoke({"name": name}, "id")
    assert answer["status"] == "ok", answer
    result: dict[str, Any] = answer["result"]
    return result


def test_a_process_has_its_own_environment_folder_code_and_memory() -> None:
    first, second = worker(SETTING="one"), worker(SETTING="two")

    answers = [result_of(first, "a"), result_of(first, "b"), result_of(second, "c")]

    assert [each["setting"] for each in answers] == ["one", "one", "two"]
    assert [each["calls"] for each in answers] == [["a"], ["a", "b"], ["c"]]
    assert answers[0]["pid"] == answers[1]["pid"] != answers[2]["pid"]
    assert Path(answers[0]["file"]).resolve() == Path(answers[0]["folder"]) / "app.py"
    assert [Path(file).name for file in answers[0]["arguments"]] == ["_worker.py"]


def test_the_libraries_are_imported_and_what_is_deployed_is_not() -> None:
    answer = result_of(worker())

    assert set(LIBRARIES) <= set(answer["imported"])
    assert "shared" not in answer["imported"]
    assert answer["parent"] != os.getpid()


def test_processes_with_the_same_layers_of_libraries_have_one_parent(layer: dict[str, bytes]) -> None:
    before = [result_of(worker()), result_of(worker())]
    layer["layer"] = zipped(python__shared="TEXT = 'second'\n")

    after = result_of(worker())

    assert [each["shared"] for each in (*before, after)] == ["first", "first", "second"]
    assert before[0]["parent"] == before[1]["parent"] == after["parent"]


def test_a_new_layer_of_libraries_has_another_parent(layer: dict[str, bytes]) -> None:
    before = result_of(worker())
    layer["layer"] = zipped(python__shared="TEXT = 'second'\n", python__pydantic_core__notes="")

    after = result_of(worker())

    assert after["shared"] == "second"
    assert before["parent"] != after["parent"]


def test_new_code_of_a_function_is_what_runs() -> None:
    assert result_of(worker())["shared"] == "first"
    runtime.invalidate_worker("greet")

    changed = worker("def handler(event, context):\n    return {'changed': True}\n")

    assert result_of(changed) == {"changed": True}


def test_the_lines_that_a_process_logs_come_with_its_response() -> None:
    one = worker()

    logs = [one.invoke({"name": name}, "id")["log"] for name in ("a", "b")]

    assert logs == ["a line of a", "a line of b"]


def test_a_killed_process_fails_its_invocation_and_the_next_one_starts_another() -> None:
    one = worker()
    before = result_of(one, "a")
    os.kill(before["pid"], signal.SIGKILL)
    one._proc.wait(5)

    after = result_of(one, "b")

    assert after["calls"] == ["b"]
    assert after["pid"] != before["pid"]


def test_a_process_that_ends_while_it_works_fails_its_invocation() -> None:
    answer = worker(END).invoke({"name": "a"}, "id")

    assert (answer["status"], answer["error"]) == ("error", "Worker process died")


def test_a_process_that_takes_too_long_is_ended() -> None:
    one = worker(WAIT, timeout=1)
    runtime.ensure_spawned(one)
    process = one._proc

    answer = one.invoke({"name": "a"}, "id")

    assert answer["error"] == "Task timed out after 1.00 seconds"
    assert process.poll() is not None


def test_a_process_that_runs_has_not_ended_and_is_waited_for_in_vain() -> None:
    one = worker()
    result_of(one)

    assert one._proc.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        one._proc.wait(0.01)


def test_code_that_cannot_be_imported_fails_with_its_reason() -> None:
    with pytest.raises(RuntimeError, match="No module named 'nothing_of_this_name'"):
        runtime.ensure_spawned(worker(BROKEN))


def test_a_parent_that_ended_is_replaced() -> None:
    before = result_of(worker())
    os.kill(before["parent"], signal.SIGKILL)

    after = result_of(worker())

    assert after["parent"] != before["parent"]
