"""Many writers of one thing at once on the deployed local stack: no answer is 5xx, and what was accepted is stored.

The long form (HELPDESK_TESTS=all) has 32 writers for a minute on each thing, the short one a few on some.
"""

from collections.abc import Callable, Mapping

import pytest

from tests.support import effort
from tests.support.hot import ALWAYS, EVERY, OF_A_PERSON, Caller, Hot, accepted, write_at_once
from tests.support.web import Web


@pytest.mark.parametrize("thing", EVERY if effort.whole() else ALWAYS, ids=lambda each: each.__name__)
def test_writers_at_once_get_their_turn_or_learn_when_to_come_back(
    stack: Mapping[str, str], thing: Callable[[Caller], Hot]
) -> None:
    credential = stack[OF_A_PERSON.get(thing, "secret_key")]
    hot = thing(Web(stack["base_url"], credential, timeout_seconds=120))  # the writers share a few processors

    outcomes = write_at_once(hot, effort.of(6, 32), seconds=effort.of(1, 60))

    assert [each for each in outcomes if each[0] >= 500] == []
    assert accepted(outcomes) > 0
    assert hot.stored is None or hot.stored() == accepted(outcomes)
