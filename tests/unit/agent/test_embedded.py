from copy import replace

import pytest

from helpdesk.agent import embedded
from helpdesk.agent.answerer import AskBack, HandOff, Question, Reply
from helpdesk.agent.intents import requests_human
from helpdesk.agent.reasons import Reason
from helpdesk.agent.record import AgentSettings
from helpdesk.knowledge.language import LANGUAGES as RECOGNIZED
from helpdesk.knowledge.retrieval import CONFIDENT, Passage
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import LANGUAGES, NAMES, Language
from helpdesk.visitor_texts.texts import Sentences

ENGLISH = Sentences("en", {})


def passage(score: float, *, heading: str = "Refunds › How long?", url: str | None = None) -> Passage:
    return Passage("doc_1", 1, "Money", heading, url, "Five days.", "Five days.", score)


def ask(text: str, *passages: Passage, sentences: Sentences = ENGLISH) -> Reply | AskBack | HandOff:
    return embedded.answer(
        Question("org_1", text, [], passages, AgentSettings(organization="org_1"), sentences)
    )


def words(outcome: Reply | AskBack | HandOff) -> str:
    """Return the text of a reply."""
    assert isinstance(outcome, Reply)
    return outcome.text


def test_a_confident_passage_is_quoted_under_its_own_heading() -> None:
    assert words(ask("how long", passage(CONFIDENT))) == (
        "Here is what I found in **Money**, under “How long?”:\n\n"
        "Five days.\n\n"
        "If this does not answer your question, say that you want a person and I will get the team."
    )


def test_another_section_that_fits_as_well_is_quoted_below_the_first() -> None:
    found = replace(passage(0.9), more="**By card**\n\nThree days.")

    assert "Five days.\n\n**By card**\n\nThree days.\n\nIf this" in words(ask("how long", found))


def test_a_published_document_is_linked() -> None:
    reply = ask("how long", passage(0.9, heading="", url="https://docs.example.com/money"))
    assert isinstance(reply, Reply)
    assert reply.text.startswith(
        "Here is what I found in **Money**:\n\nFive days.\n\nRead on: https://docs.example.com/money\n"
    )


def test_a_passage_below_the_threshold_is_not_quoted() -> None:
    assert ask("how long", passage(CONFIDENT - 0.01)) == HandOff(Reason.NOTHING_FOUND)


@pytest.mark.parametrize(
    ("may_ask", "either", "title"), [(False, 0.9, "Fees"), (True, 0.4, "Fees"), (True, 0.9, "MONEY")]
)
def test_the_agent_asks_back_only_if_it_may_and_one_of_two_titles_answers(
    may_ask: bool, either: float, title: str
) -> None:
    best, other = replace(passage(0.4), either=either), replace(passage(0.3), title=title)
    question = Question("org_1", "how long", [], [best, other], AgentSettings(organization="org_1"), ENGLISH)

    assert embedded.answer(replace(question, may_ask_back=may_ask)) == HandOff(Reason.NOTHING_FOUND)
    likely = [replace(best, either=CONFIDENT), replace(other, title="Fees")]
    assert embedded.answer(replace(question, passages=likely, may_ask_back=True)) == AskBack(
        (likely[0], likely[1])
    )


def test_without_a_passage_the_agent_hands_off() -> None:
    assert ask("how long") == HandOff(Reason.NOTHING_FOUND)


@pytest.mark.parametrize("text", ["Hi", "hello!", "Hey there", "Good morning 👋", " hi team "])
def test_a_greeting_gets_a_greeting(text: str) -> None:
    assert ask(text) == Reply("Hello! What can I help you with?")


@pytest.mark.parametrize(
    "text",
    [
        *("Thanks!", "thank you so much", "Ok, thanks a lot 🙏", "cheers"),
        *("Danke!", "Merci beaucoup", "Muchas gracias", "Grazie mille", "Obrigada", "Bedankt"),
    ],
)
def test_thanks_in_any_language_get_a_polite_answer(text: str) -> None:
    assert ask(text) == Reply("You're welcome! If anything else comes up, just write here.")


@pytest.mark.parametrize(
    "text",
    [
        *("hi, where is my parcel?", "thanks but that did not help"),
        *("Hallo, wo ist mein Paket?", "Bonjour, où est mon colis ?", "Danke, aber es geht nicht"),
    ],
)
def test_a_greeting_before_a_question_is_not_a_mere_greeting(text: str) -> None:
    assert ask(text) == HandOff(Reason.NOTHING_FOUND)


def test_an_answer_is_introduced_in_the_language_of_the_conversation() -> None:
    found = replace(passage(0.9, url="https://docs.example.com/money"), language="de")
    assert words(ask("wie lange", found, sentences=Sentences("de", {}))) == (
        "Das habe ich in **Money** unter „How long?“ gefunden:\n\n"
        "Five days.\n\n"
        "Weiterlesen: https://docs.example.com/money\n\n"
        "Falls das Ihre Frage nicht beantwortet, schreiben Sie bitte, dass Sie mit einem Menschen sprechen möchten. "
        "Dann hole ich unser Team dazu."
    )


@pytest.mark.parametrize(
    ("question", "page", "said"),
    [
        (
            "Wie lange dauert eine Erstattung?",
            "en",
            "Diese Seite ist in einer anderen Sprache geschrieben: English.",
        ),
        (
            "Wie lange dauert eine Erstattung?",
            "ja",
            "Diese Seite ist in einer anderen Sprache geschrieben: 日本語.",
        ),
        ("Wie lange dauert eine Erstattung?", "de", None),
        ("Erstattung", "en", None),
        ("Reifendruck Mountainbike", "de", None),
    ],
)
def test_an_answer_says_that_a_page_is_in_another_language_than_the_question(
    question: str, page: str, said: str | None
) -> None:
    written = words(ask(question, replace(passage(0.9), language=page), sentences=Sentences("de", {})))

    assert [part for part in written.split("\n\n") if "Sprache" in part] == ([] if said is None else [said])


def test_every_language_that_a_page_may_be_in_has_a_name() -> None:
    assert set(NAMES) == set(RECOGNIZED)


def test_the_organizations_own_sentences_are_written() -> None:
    own = {
        TextName.GREETING: "Howdy, {agent} here.",
        TextName.ANSWER_INTRO_SECTION: "See {title}:",
        TextName.ANSWER_OUTRO: "Bye.",
    }
    sentences = Sentences("en", own)
    assert ask("hi", sentences=sentences) == Reply("Howdy, Assistant here.")
    assert words(ask("how long", passage(0.9), sentences=sentences)) == ("See Money:\n\nFive days.\n\nBye.")


@pytest.mark.parametrize(
    ("text", "language", "greeting"),
    [
        ("Guten Tag!", "de", "Guten Tag! Wie kann ich Ihnen helfen?"),
        ("Hallo zusammen 👋", "de", "Guten Tag! Wie kann ich Ihnen helfen?"),
        ("Bonjour à tous", "fr", "Bonjour ! Comment puis-je vous aider ?"),
        ("¡Buenos días!", "es", "¡Hola! ¿En qué puedo ayudarle?"),
        ("Buona sera", "it", "Buongiorno! Come posso aiutarLa?"),
        ("Olá, tudo bem?", "pt", "Olá! Como posso ajudar?"),
        ("Goedemiddag.", "nl", "Goedendag! Waarmee kan ik u helpen?"),
    ],
)
def test_a_greeting_is_heard_and_returned_in_every_language(
    text: str, language: Language, greeting: str
) -> None:
    assert ask(text, sentences=Sentences(language, {})) == Reply(greeting)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_visitor_who_does_as_the_outro_says_gets_a_person(language: Language) -> None:
    assert requests_human(
        {
            "en": "I want a person",
            "de": "Ich möchte mit einem Menschen sprechen",
            "fr": "Je souhaite parler à une personne",
            "es": "Quiero hablar con una persona",
            "it": "Voglio parlare con una persona",
            "pt": "Quero falar com uma pessoa",
            "nl": "Ik wil met een medewerker spreken",
        }[language]
    )
