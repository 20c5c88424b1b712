"""The default sentences, and an organization's own in their place."""

import re

import pytest

from helpdesk.agent.record import AgentSettings
from helpdesk.platform.text import trimmed, without_hidden
from helpdesk.visitor_texts.catalog import MAX_TEXT_BYTES, MAX_TEXT_CHARACTERS, PLACEHOLDERS, TextName
from helpdesk.visitor_texts.languages import LANGUAGES, Language
from helpdesk.visitor_texts.texts import Sentences, VisitorTexts, attribute, defaults, every_key

MAX_ITEM_BYTES = 400 * 1024
MAX_EXPRESSION_BYTES = 4 * 1024


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_sentence_with_all_its_placeholders(language: Language) -> None:
    texts = defaults(language)
    assert list(texts) == list(TextName)
    for name, text in texts.items():
        assert set(re.findall(r"\{(\w+)\}", text)) <= PLACEHOLDERS[name].allowed, name
        assert set(re.findall(r"\{(\w+)\}", text)) >= PLACEHOLDERS[name].required, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_default_is_a_text_that_an_organization_could_set(language: Language) -> None:
    for name, text in defaults(language).items():
        assert text == trimmed(without_hidden(text)), name
        assert 0 < len(text) <= MAX_TEXT_CHARACTERS, name


def test_the_sentences_differ_from_language_to_language() -> None:
    for name in (TextName.HANDOFF, TextName.GOODBYE, TextName.ANSWER_OUTRO, TextName.MAIL_NO_REPLY):
        assert len({defaults(language)[name] for language in LANGUAGES}) == len(LANGUAGES)


def test_german_french_spanish_italian_and_dutch_address_a_visitor_politely() -> None:
    informal = {
        "de": r"\b(?:du|dir|dich|deine?[nrms]?|euch|eure?[nrms]?)\b",
        "fr": r"\b(?:tu|te|toi|ton|ta|tes)\b",
        "es": r"\b(?:tú|ti|te|tu|tus|contigo)\b",
        "it": r"\b(?:tu|ti|tuo|tua|tuoi|tue)\b",
        "nl": r"\b(?:jij|je|jou|jouw|jullie)\b",
    }
    for language in LANGUAGES:
        if language in informal:
            for name, text in defaults(language).items():
                assert re.search(informal[language], text, re.IGNORECASE) is None, (language, name)


def test_an_own_sentence_takes_the_place_of_the_default_in_its_language_alone() -> None:
    texts = VisitorTexts("en", {(TextName.HANDOFF, "de"): "Einen Moment bitte."})
    assert texts.in_language("de").write(TextName.HANDOFF) == "Einen Moment bitte."
    assert texts.in_language("en").write(TextName.HANDOFF).startswith("I'm passing this to our team.")
    assert texts.customized() == {"handoff": ["de"]}
    assert texts.effective()["handoff"]["de"] == "Einen Moment bitte."
    assert texts.effective()["handoff"]["nl"].startswith("Ik geef uw vraag door")


def test_values_are_inserted_once_and_as_they_are() -> None:
    sentences = Sentences("en", {})
    written = sentences.write(TextName.ANSWER_INTRO_SECTION, title="{section} {0} \\1", section="{title}")
    assert written == "Here is what I found in **{section} {0} \\1**, under “{title}”:"


def test_what_an_item_holds_that_this_version_does_not_know_is_skipped() -> None:
    item = {
        "language": "xx",
        "text.handoff.de": "Moment.",
        "text.handoff.xx": "?",
        "text.farewell.de": "?",
        "text.goodbye.de": 7,
        "text.greeting.de": "",
        "name": "Robin",
    }
    texts = AgentSettings.from_item(AgentSettings.key_for("org_1").attributes() | item).texts
    assert (texts.language, dict(texts.own)) == ("en", {(TextName.HANDOFF, "de"): "Moment."})


def test_a_widget_gets_its_own_sentences_and_no_others() -> None:
    texts = Sentences("fr", {TextName.WIDGET_SEND: "Allez"}).of_widget()
    assert texts["widgetSend"] == "Allez"
    assert texts["widgetStars"] == "{stars} étoiles"
    assert texts["unavailable"].startswith("Le chat n’est pas disponible")
    assert "handoff" not in texts
    assert "mailSubject" not in texts


def test_every_sentence_at_its_longest_fits_into_one_item_and_one_expression() -> None:
    longest = sum(len(attribute(key)) + MAX_TEXT_BYTES for key in every_key())
    assert longest + 4 * 2_100 < MAX_ITEM_BYTES  # with the personality and the name
    expression = "SET " + ", ".join(f"#{n} = :{n}" for n in range(len(every_key()) + 15))
    assert len(expression) < MAX_EXPRESSION_BYTES
