"""What the builder of SAM CLI takes for Lambda's system, and that every build here goes through it."""

import sys

import pytest
from aws_lambda_builders.workflows.python_pip.packager import DependencyBuilder

from scripts import sam
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
