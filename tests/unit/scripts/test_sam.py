"""What the builder of SAM CLI takes for Lambda's system, and that every build here goes through it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aws_lambda_builders.workflows.python_pip.packager import DependencyBuilder

from scripts import resources, sam
from scripts.local import build
from scripts.local.progress import Problem, Progress
from tests.support.template import ROOT


@pytest.mark.parametrize(("architecture", "machine"), [("arm64", "aarch64"), ("x86_64", "x86_64")])
def test_wheels_for_every_glibc_that_lambda_has_are_asked_for(architecture: str, machine: str) -> None:
    sam.accept_every_glibc()

    builder = DependencyBuilder(None, "python3.13", sys.executable, object(), architecture)
    asked = builder.compatible_platforms

    assert {f"manylinux_2_{minor}_{machine}" for minor in range(17, 35)} <= set(asked)
    assert f"manylinux_2_35_{machine}" not in asked
    assert len(asked) == len(set(asked))


def test_a_deployment_is_built_with_them() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\ndeploy: ")[2].partition("\n.PHONY")[0]

    assert "-m scripts.sam build" in recipe
    assert " sam build" not in recipe
    # Otherwise the next build takes what this one did not install for installed.
    assert "|| { rm -f .aws-sam/build.toml; exit 1; }" in recipe
    assert "-m scripts.trim .aws-sam/build\n" in recipe


def test_a_local_build_that_fails_leaves_no_note_of_what_it_did_not_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def fail(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (tmp_path / "build.toml").write_text("manifest_hash", encoding="utf-8")
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(build, "BUILDS", tmp_path)
    monkeypatch.setattr(build, "_FINGERPRINT", tmp_path / "fingerprint")
    monkeypatch.setattr(build, "_LOG", tmp_path / "build.log")
    monkeypatch.setattr(build, "_copy_sources", lambda: None)
    monkeypatch.setattr(build, "_is_current", lambda _: False)
    monkeypatch.setattr(resources, "write", lambda: False)
    monkeypatch.setattr(subprocess, "run", fail)

    with pytest.raises(Problem, match="sam build failed"), build.built(Progress()):
        pass

    [command] = commands
    assert command[1:4] == ["-m", "scripts.sam", "build"]
    assert not (tmp_path / "build.toml").exists()
