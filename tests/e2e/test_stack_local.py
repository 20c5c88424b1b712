"""What a local stack keeps in its folder."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts.local.settings import StackSettings
from tests.e2e.own_stack import PARAMETERS
from tests.support.web import Web

FOLDER_BYTES = 500_000_000  # a third of it is the state, in which the emulator writes code and layers as text


@pytest.fixture
def folder(stack: Mapping[str, str], own_stack: StackSettings | None) -> Path:
    """The folder of a stack of which a function has run."""
    if own_stack is None:
        pytest.skip("HELPDESK_STACK names a stack whose folder these tests do not know")
    assert Web(stack["base_url"], stack["secret_key"]).get("/v1/conversations").status == 200
    return own_stack.folder


def test_the_folder_of_a_stack_that_runs_stays_under_500_megabytes(folder: Path) -> None:
    sizes: dict[int, int] = {}
    for path in folder.rglob("*"):  # follows no symbolic link
        with contextlib.suppress(FileNotFoundError):  # a worker may end at any time
            status = path.lstat()
            sizes[status.st_ino] = status.st_size  # several names of one file are one file

    assert sum(sizes.values()) < FOLDER_BYTES


def test_the_workers_of_a_stack_share_their_code(folder: Path) -> None:
    unpacked = list((folder / "tmp").glob("ministack-lambda-*/[cl]*"))

    assert unpacked
    assert [path.name for path in unpacked if not path.is_symlink()] == []


def test_the_record_of_a_stack_names_its_parameters(folder: Path) -> None:
    parameters = json.loads((folder / "deployed.json").read_text(encoding="utf-8"))["parameters"]

    assert f"RetryDelaysSeconds={parameters['RetryDelaysSeconds']} " in PARAMETERS
    assert parameters["AllowLoopbackUrls"] == "true"
    assert parameters["Stage"] == "local"
