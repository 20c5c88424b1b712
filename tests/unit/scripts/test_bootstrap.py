"""The virtual environment is made once, with what a command needs; what keeps a stack from starting is said before."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local.settings import ROOT


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone in which nothing was made yet; its list of packages cannot be installed."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "bootstrap.sh", tmp_path / "scripts")
    (tmp_path / "requirements").mkdir()
    for name in ("dev", "local"):
        (tmp_path / "requirements" / f"{name}.txt").write_text("no-hash-so-no-install\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def python_that_makes_no_environment(tmp_path: Path) -> Path:
    """Return a folder for the PATH. Making a virtual environment takes half a minute, and nothing here needs one."""
    tool = tmp_path / "tools" / "python3.13"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\n[ "$1" != -m ] || exit 1\nexec {sys.executable} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    return tool.parent


@pytest.fixture
def python_that_notes_what_it_is_asked(tmp_path: Path) -> Path:
    """Return a folder for the PATH. Its Python makes an environment without packages, whose Python notes installs."""
    tool = tmp_path / "tools" / "python3.13"
    tool.parent.mkdir()
    made = f'#!/bin/sh\n[ "$1" = -c ] && echo "{tmp_path}" || echo "${{@}}" | sed "s/.* //" >>"{tmp_path}/asked"\n'
    tool.write_text(
        "#!/bin/sh\n"
        f'[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"\n'
        f"echo venv >>'{tmp_path}/asked'; mkdir -p .venv/bin; cat >.venv/bin/python <<'END'\n{made}END\n"
        "chmod +x .venv/bin/python\n",
        encoding="utf-8",
    )
    tool.chmod(0o755)
    return tool.parent


def bootstrap(clone: Path, port: int, tools: Path, *wanted: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", clone / "scripts" / "bootstrap.sh", *wanted],
        env=os.environ | {"STACK_PORT": str(port), "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_taken_port_is_reported_before_the_environment_is_made(
    clone: Path, taken_port: int, python_that_makes_no_environment: Path
) -> None:
    done = bootstrap(clone, taken_port, python_that_makes_no_environment)

    assert done.returncode == 1
    assert done.stderr == (
        f"Port {taken_port} is taken by another program: stop that one, or choose a port: "
        f"make up PORT={taken_port + 1}\n"
    )
    assert not (clone / ".venv").exists()


def test_a_port_held_by_this_projects_own_stack_is_accepted(
    clone: Path, taken_port: int, python_that_makes_no_environment: Path
) -> None:
    (clone / ".local" / str(taken_port)).mkdir(parents=True)
    (clone / ".local" / str(taken_port) / "emulator.json").touch()

    done = bootstrap(clone, taken_port, python_that_makes_no_environment)

    assert "is taken" not in done.stderr
    assert "Making .venv" in done.stdout


def test_what_make_dev_needs_is_installed_first_and_the_tools_are_added_by_the_first_test_or_check(
    clone: Path, python_that_notes_what_it_is_asked: Path
) -> None:
    said = [
        bootstrap(clone, 0, python_that_notes_what_it_is_asked, *wanted).stdout.partition(" ")[0]
        for wanted in (["local"], ["local"], [], [], ["local"])
    ]

    assert said == ["Making", "", "Adding", "", ""]
    assert (clone / "asked").read_text().split() == [
        "venv",
        "requirements/pip.txt",
        "requirements/local.txt",
        "requirements/dev.txt",
    ]


def test_the_environment_is_made_again_where_the_packages_have_changed(
    clone: Path, python_that_notes_what_it_is_asked: Path
) -> None:
    bootstrap(clone, 0, python_that_notes_what_it_is_asked, "local")
    (clone / "requirements" / "local.txt").write_text("another list\n", encoding="utf-8")
    bootstrap(clone, 0, python_that_notes_what_it_is_asked)

    assert (clone / "asked").read_text().split() == [
        "venv",
        "requirements/pip.txt",
        "requirements/local.txt",
        "venv",
        "requirements/pip.txt",
        "requirements/dev.txt",
    ]


def test_without_python_3_13_one_line_says_what_to_install(clone: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "cksum", "cat"):
        (tools / name).symlink_to(str(shutil.which(name)))

    done = subprocess.run(
        [tools / "sh", clone / "scripts" / "bootstrap.sh"],
        env={"PATH": str(tools), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("No Python 3.13 found: install it")
    assert done.stderr.count("\n") == 1
    assert not (clone / ".venv").exists()
