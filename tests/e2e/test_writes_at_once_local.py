"""Many writers of one thing at once on the deployed local stack: no answer is 5xx, and what was accepted is stored.

It takes a minute for each thing, so `make test-all` alone runs this. tests/integration/http/test_many_writers.py is the
short form.
"""

from collections.abc import Callable, Mapping

import pytest

from tests.support.effort import whole
from tests.support.hot import EVERY, OF_A_PERSON, Caller, Hot, accepted, write_at_once
from tests.support.web import Web

pytestmark = pytest.mark.skipif(not whole(), reason="make test-all runs it: it takes a minute for each thing")

WRITERS = 32
SECONDS = 60


@pytest.mark.parametrize("thing", EVERY, ids=lambda each: each.__name__)
def test_writers_at_once_get_their_turn_or_learn_when_to_come_back(
    stack: Mapping[str, str], thing: Callable[[Caller], Hot]
) -> None:
    credential = stack[OF_A_PERSON.get(thing, "secret_key")]
    hot = thing(Web(stack["base_url"], credential, timeout_seconds=120))  # the writers share a few processors

    outcomes = write_at_once(hot, WRITERS, seconds=SECONDS)

    assert [each for each in outcomes if each[0] >= 500] == []
    assert accepted(outcomes) > 0
    assert hot.stored is None or hot.stored() == accepted(outcomes)
