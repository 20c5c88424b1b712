"""The local stack's own promises: it comes back quickly with what it held, says in a line what is wrong, and touches
nothing that it did not start."""

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from scripts.local import stack as local_stack
from scripts.local.processes import ProcessRecord
from scripts.local.progress import Progress
from scripts.local.settings import ROOT, StackSettings
from tests.e2e.test_stack_gateway import call

SECOND_START_SECONDS = 25
FOLDER_BYTES = 500_000_000  # a third of it is the state, in which the emulator writes code and layers as text


def local(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.local", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def somebody_elses_process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    yield process
    process.kill()
    process.wait()


def listed_conversations(stack: Mapping[str, str]) -> list[str]:
    status, _, body = call(stack, "GET", "/v1/conversations", authorization=f"Bearer {stack['secret_key']}")
    assert status == 200
    return [conversation["id"] for conversation in body["conversations"]]


def test_a_stack_that_was_stopped_is_ready_again_within_25_seconds_with_all_that_it_held(
    stack: Mapping[str, str], own_stack: StackSettings | None
) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack that these tests may not stop")
    before = listed_conversations(stack)
    local_stack.down(own_stack, Progress())

    started = time.monotonic()
    again = local_stack.up(own_stack, Progress())
    seconds = time.monotonic() - started

    assert again == stack
    assert listed_conversations(stack) == before
    assert seconds < SECOND_START_SECONDS


def test_a_stack_that_runs_is_left_running(stack: Mapping[str, str], own_stack: StackSettings | None) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack that these tests may not touch")
    process = (own_stack.folder / "emulator.json").read_text(encoding="utf-8")

    assert local_stack.up(own_stack, Progress()) == stack
    assert (own_stack.folder / "emulator.json").read_text(encoding="utf-8") == process


def test_the_folder_of_a_stack_that_runs_stays_under_500_megabytes(
    stack: Mapping[str, str], own_stack: StackSettings | None
) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack whose folder these tests do not know")
    listed_conversations(stack)
    sizes: dict[int, int] = {}
    for path in own_stack.folder.rglob("*"):  # follows no symbolic link
        with contextlib.suppress(FileNotFoundError):  # a worker may end at any time
            status = path.lstat()
            sizes[status.st_ino] = status.st_size  # several names of one file are one file

    assert sum(sizes.values()) < FOLDER_BYTES


def test_the_workers_of_a_stack_share_their_code(
    stack: Mapping[str, str], own_stack: StackSettings | None
) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack whose folder these tests do not know")
    listed_conversations(stack)

    unpacked = list((own_stack.folder / "tmp").glob("ministack-lambda-*/[cl]*"))

    assert unpacked
    assert [path.name for path in unpacked if not path.is_symlink()] == []


def test_a_port_that_another_program_holds_gives_one_line(taken_port: int, tmp_path: Path) -> None:
    done = local("up", "--port", str(taken_port), "--folder", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr == (
        f"Port {taken_port} is taken by another program: stop that one, or choose a port: "
        f"make up PORT={taken_port + 1}\n"
    )


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ("Speed=1", "PARAMETERS names 'Speed'; the template has "),
        ("RetryDelaysSeconds", "PARAMETERS has 'RetryDelaysSeconds'; write Name=value, separated by spaces."),
        ("Stage=prod", "PARAMETERS may not set Stage: the local stack's is fixed."),
    ],
)
def test_a_parameter_that_cannot_be_meant_gives_one_line(parameters: str, line: str, tmp_path: Path) -> None:
    done = local("up", "--parameters", parameters, "--folder", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_a_stack_in_the_hands_of_another_make_gives_one_line(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 4711}')
        lock.flush()
        done = local("up", "--folder", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr == (
        "Another make is using the stack on port 4566 (process 4711): let it end, or press Ctrl-C there.\n"
    )


def test_a_process_that_only_has_the_number_of_an_earlier_emulator_is_left_alone(
    somebody_elses_process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    ProcessRecord(somebody_elses_process.pid, began="long ago").save(tmp_path / "emulator.json")

    done = local("down", "--folder", str(tmp_path))

    assert done.returncode == 0
    assert somebody_elses_process.poll() is None


def test_a_process_is_stopped_when_it_is_the_one_that_was_written_down(
    somebody_elses_process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    # Not somebody else's, this time.
    ProcessRecord.of(somebody_elses_process.pid).save(tmp_path / "emulator.json")

    done = local("down", "--folder", str(tmp_path))

    assert done.returncode == 0
    assert somebody_elses_process.wait(timeout=5) == -15


def test_down_with_nothing_running_says_so(tmp_path: Path) -> None:
    done = local("down", "--folder", str(tmp_path), "--port", "4999")

    assert done.returncode == 0
    assert "Nothing of this project runs on port 4999." in done.stdout


def test_without_python_3_13_one_line_says_what_to_install(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "clone"
    (copy / "scripts").mkdir(parents=True)
    (copy / "requirements").mkdir()
    (copy / "requirements" / "dev.txt").write_text("", encoding="utf-8")
    script = copy / "scripts" / "bootstrap.sh"
    script.write_text((ROOT / "scripts" / "bootstrap.sh").read_text(encoding="utf-8"), encoding="utf-8")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "cksum", "cat"):
        (tools / name).symlink_to(which(name))

    done = subprocess.run(
        [which("sh"), str(script)],
        env={"PATH": str(tools), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("No Python 3.13 found: install it")
    assert done.stderr.count("\n") == 1
    assert not (copy / ".venv").exists()


def which(name: str) -> str:
    for folder in os.environ["PATH"].split(os.pathsep):
        if (Path(folder) / name).exists():
            return str(Path(folder) / name)
    raise FileNotFoundError(name)


def test_the_record_of_a_stack_names_its_parameters(
    stack: Mapping[str, str], own_stack: StackSettings | None
) -> None:
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack with parameters of its own")
    deployed = json.loads((own_stack.folder / "deployed.json").read_text(encoding="utf-8"))

    assert deployed["parameters"]["RetryDelaysSeconds"] == "1,1,1,1"
    assert deployed["parameters"]["AllowLoopbackUrls"] == "true"
    assert deployed["parameters"]["Stage"] == "local"
