import pytest

from helpdesk.agent import embedded
from helpdesk.agent.answerer import HandOff, Question, Reason, Reply
from helpdesk.agent.schemas import DEFAULTS
from helpdesk.knowledge.retrieval import CONFIDENT, Passage


def passage(score: float, *, heading: str = "Refunds › How long?", url: str | None = None) -> Passage:
    return Passage("doc_1", "Money", heading, url, "Five days.", "Five days.", score)


def ask(text: str, *passages: Passage) -> Reply | HandOff:
    return embedded.answer(Question(text, [], passages, DEFAULTS))


def test_a_confident_passage_is_quoted_under_its_own_heading() -> None:
    assert ask("how long", passage(CONFIDENT)) == Reply(
        "Here is what I found in **Money**, under “How long?”:\n\n"
        "Five days.\n\n"
        "If this does not answer your question, say that you want a person and I will get the team."
    )


def test_a_published_document_is_linked() -> None:
    reply = ask("how long", passage(0.9, heading="", url="https://docs.example.com/money"))
    assert isinstance(reply, Reply)
    assert reply.text.startswith(
        "Here is what I found in **Money**:\n\nFive days.\n\nRead on: https://docs.example.com/money\n"
    )


def test_a_passage_below_the_threshold_is_not_quoted() -> None:
    assert ask("how long", passage(CONFIDENT - 0.01)) == HandOff(Reason.NOTHING_FOUND)


def test_without_a_passage_the_agent_hands_off() -> None:
    assert ask("how long") == HandOff(Reason.NOTHING_FOUND)


@pytest.mark.parametrize("text", ["Hi", "hello!", "Hey there", "Good morning 👋", " hi team "])
def test_a_greeting_gets_a_greeting(text: str) -> None:
    assert ask(text) == Reply("Hello! What can I help you with?")


@pytest.mark.parametrize("text", ["Thanks!", "thank you so much", "Ok, thanks a lot 🙏", "cheers"])
def test_thanks_get_a_polite_answer(text: str) -> None:
    assert ask(text) == Reply("You're welcome! If anything else comes up, just write here.")


@pytest.mark.parametrize("text", ["hi, where is my parcel?", "thanks but that did not help"])
def test_a_greeting_before_a_question_is_not_a_mere_greeting(text: str) -> None:
    assert ask(text) == HandOff(Reason.NOTHING_FOUND)
