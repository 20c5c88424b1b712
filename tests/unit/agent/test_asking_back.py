"""How a visitor's reply chooses one of the two pages that the agent asked about."""

import pytest

from helpdesk.agent.asking_back import chosen
from helpdesk.conversations.message_record import FoundPage

CARD = FoundPage("doc_1", "Refunds by card", None, 0.4)
BANK = FoundPage("doc_2", "Refunds by bank transfer", None, 0.4)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The first!", CARD),
        ("first one", CARD),
        ("1", CARD),
        ("a)", CARD),
        ("Das erste.", CARD),
        ("la première", CARD),
        ("el primero", CARD),
        ("la prima", CARD),
        ("a primeira", CARD),
        ("de eerste", CARD),
        ("the second one", BANK),
        ("2.", BANK),
        ("B", BANK),
        ("die zweite", BANK),
        ("le deuxième", BANK),
        ("la segunda", BANK),
        ("il secondo", BANK),
        ("o segundo", BANK),
        ("de tweede", BANK),
        ("bank transfer", BANK),
        ("I mean refunds by card, of course", CARD),
        ("refunds", None),
        ("a refund in the first week", None),
        ("neither", None),
        ("Refunds by card or Refunds by bank transfer?", None),
        ("?", None),
    ],
)
def test_a_reply_chooses_by_place_or_title_or_not_at_all(reply: str, expected: FoundPage | None) -> None:
    assert chosen((CARD, BANK), reply) == expected
