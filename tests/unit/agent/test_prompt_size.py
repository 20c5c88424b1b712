"""A request of a model stays within its size, whatever a conversation, its passages and the results of tools hold."""

import random
from collections.abc import Callable

import pytest

from helpdesk.agent import bedrock, prompt_size
from helpdesk.agent.answerer import Turn
from helpdesk.agent_runs import prompts
from helpdesk.conversations.message_record import Author, Message
from helpdesk.suggestions import model
from helpdesk.suggestions.exchanges import exchanges_of
from tests.support.rules import for_each

LARGEST_MESSAGE = 24_000  # 4,000 characters that take six bytes each where they are escaped


def thread(body: str, messages: int = 100) -> list[Message]:
    """Return a thread of equal messages, oldest first: the visitor and a person of the team in turns."""
    return [
        Message(
            organization="org_1",
            conversation_id="conv_1",
            id=f"msg_{number:05d}",
            created_at=number,
            sender="visitor" if number % 2 == 0 else "agent",
            author=None if number % 2 == 0 else Author("human", "Tom"),
            body=body,
        )
        for number in range(messages)
    ]


def turns(messages: list[Message]) -> str:
    shown = bedrock.messages([Turn(each.by_visitor, each.body) for each in messages])
    return "".join(block["text"] for message in shown for block in message["content"])


def draft(messages: list[Message]) -> str:
    return model._written(messages, exchanges_of(messages, "Robin")[20])


@for_each("prompt", [turns, prompts.transcript, draft], ids=["an answer", "a review", "a draft"])
@for_each(
    "body",
    ["a" * 4_000, "注" * 4_000, "😀" * 4_000, '"' * 4_000, "?"],
    ids=["a", "cjk", "emoji", "quotes", "short"],
)
def test_the_thread_in_a_prompt_has_a_size(prompt: Callable[[list[Message]], str], body: str) -> None:
    found = prompt(thread(body))

    assert len(found.encode()) <= max(prompt_size.THREAD_BYTES, LARGEST_MESSAGE) + 500


def test_the_newest_messages_stay_and_each_is_whole() -> None:
    numbered = [f"{number:03d}" + "x" * 3_000 for number in range(30)]

    assert [text[:3] for text in prompt_size.newest(numbered, numbered)] == [
        "024",
        "025",
        "026",
        "027",
        "028",
        "029",
    ]


def test_a_draft_reads_the_answer_in_question_and_not_what_came_later() -> None:
    messages = thread("How do I export my contacts to a file?")
    found = exchanges_of(messages, "Robin")[20]

    assert 'from="person" answer="yes"' in model._written(messages, found)
    assert model._written(messages, found).count("<message") == 43


@for_each("seed", range(20))
def test_results_of_any_number_and_size_fit_together(seed: int) -> None:
    chance = random.Random(seed)
    left = 12
    texts: list[list[str]] = []
    while left:
        calls = chance.randint(1, left)
        texts.append([chance.choice("a注😀") * chance.choice([0, 3, 900, 16_000]) for _ in range(calls)])
        left -= calls
    shown = prompt_size.results(texts)

    assert [len(each) for each in shown] == [len(each) for each in texts]
    assert sum(len(text.encode()) for each in shown for text in each) <= prompt_size.RESULTS_BYTES + 12 * 210
    assert all(
        text.startswith(cut.removesuffix(" […]"))
        for pair in zip(texts, shown, strict=True)
        for text, cut in zip(*pair, strict=True)
    )


def test_the_newest_results_have_their_room_before_the_older_ones() -> None:
    first, second, third = prompt_size.results([["a" * 16_000], ["b" * 16_000], ["c" * 16_000, "short"]])

    assert (third, len(second[0]), len(first[0])) == (["c" * 16_000, "short"], 7_999, 204)


@pytest.mark.parametrize("results", [[], [[]], [[""]]])
def test_nothing_stays_nothing(results: list[list[str]]) -> None:
    assert prompt_size.results(results) == results
