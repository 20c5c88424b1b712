"""The operator's commands of a local stack run in one process."""

from collections.abc import Iterator

import pytest

from scripts.local.operating import Operator, RefusedError
from scripts.local.settings import StackSettings

# Nothing listens there.
NOWHERE = StackSettings(port=9)


@pytest.fixture(scope="module")
def operator() -> Iterator[Operator]:
    with Operator(NOWHERE) as started:
        yield started


def test_a_command_that_is_refused_says_why_and_the_next_one_runs(operator: Operator) -> None:
    for word in ("migrates", "unmigrate"):
        with pytest.raises(RefusedError, match=f"invalid choice: '{word}'"):
            operator.run(word)


def test_a_process_that_ended_is_a_refusal() -> None:
    with Operator(NOWHERE) as ended:
        ended._process.kill()
        ended._process.wait()

        with pytest.raises(RefusedError, match="ended unexpectedly"):
            ended.run("migrate")
