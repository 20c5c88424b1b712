"""The region of the operator's command."""

import pytest

from scripts import admin
from scripts.operator_errors import OperatorError


@pytest.mark.parametrize(
    ("options", "region"), [([], "eu-central-1"), (["--region", "eu-west-1"], "eu-west-1")]
)
def test_the_operators_command_reads_the_region_that_the_guides_set(
    monkeypatch: pytest.MonkeyPatch, options: list[str], region: str
) -> None:
    used: list[str | None] = []

    def use_stack(_name: str, *, region: str | None, endpoint_url: str | None) -> None:
        used.append(region)
        raise OperatorError("enough")

    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setattr(admin, "use_stack", use_stack)

    assert admin.main([*options, "migrate", "--check"]) == 1
    assert used == [region]
