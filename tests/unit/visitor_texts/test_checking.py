"""The checks of sentences that an organization sends."""

import pytest

from helpdesk.platform.errors import InvalidRequest
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.checking import SentTexts, changes
from helpdesk.visitor_texts.texts import VisitorTexts

NOTHING = VisitorTexts()
OWN = VisitorTexts(
    "en",
    {
        (TextName.HANDOFF, "de"): "Moment.",
        (TextName.HANDOFF, "fr"): "Un instant.",
        (TextName.GOODBYE, "de"): "Ade.",
    },
)
HANDOFF = "I'm passing this to our team. Someone will answer you here as soon as possible."


def test_a_sentence_is_trimmed_and_loses_hidden_characters() -> None:
    sent = {"handoff": {"de": " \u202eEinen Moment,\r\nbitte.\u0007\ufeff "}}
    assert changes(sent, NOTHING) == {(TextName.HANDOFF, "de"): "Einen Moment,\nbitte."}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (
            None,
            {(TextName.HANDOFF, "de"): None, (TextName.HANDOFF, "fr"): None, (TextName.GOODBYE, "de"): None},
        ),
        ({"handoff": None}, {(TextName.HANDOFF, "de"): None, (TextName.HANDOFF, "fr"): None}),
        ({"handoff": {"de": None, "nl": None}}, {(TextName.HANDOFF, "de"): None}),
        ({"handoff": {"de": "Moment."}}, {}),
        ({"handoff": {"en": HANDOFF}}, {}),
        ({}, {}),
        ({"handoff": {}}, {}),
    ],
)
def test_null_and_the_default_itself_return_to_the_default(
    sent: SentTexts | None, expected: dict[tuple[TextName, str], str | None]
) -> None:
    assert changes(sent, OWN) == expected


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"handof": {"de": "x"}}, "`texts.handof` is not a text. Did you mean `handoff`?"),
        ({"hand_off": None}, "`texts.hand_off` is not a text. Did you mean `handoff`?"),
        ({"answerintro": {"de": "x"}}, "`texts.answerintro` is not a text. Did you mean `answerIntro`?"),
        (
            {"handoff": {"xx": "x"}},
            "`texts.handoff.xx` is not a language of texts. Languages: en, de, fr, es, it, pt, nl.",
        ),
        (
            {"handoff": {"de-AT": None}},
            "`texts.handoff.de-AT` is not a language of texts. Languages: en, de, fr, es, it, pt, nl.",
        ),
        ({"handoff": {"de": " \n"}}, "`texts.handoff.de` is empty. Send null to return to the default."),
        (
            {"handoff": {"de": "\u200b\u200d"}},
            "`texts.handoff.de` is empty. Send null to return to the default.",
        ),
        (
            {"handoff": {"de": "x" * 401}},
            "`texts.handoff.de` may have 400 characters after trimming. Shorten it.",
        ),
        (
            {"handoff": {"de": "Hallo {name}"}},
            "`texts.handoff.de` has the unknown placeholder {name}. Placeholders of this text: {agent}.",
        ),
        (
            {"fileGone": {"de": "Weg: {url}"}},
            "`texts.fileGone.de` has the unknown placeholder {url}. This text has none.",
        ),
        (
            {"handoff": {"de": "{agent} {"}},
            "`texts.handoff.de` has a single brace. Braces enclose a placeholder. Placeholders of this text: {agent}.",
        ),
        ({"answerIntro": {"de": "Gefunden:"}}, "`texts.answerIntro.de` must have the placeholder {title}."),
    ],
)
def test_a_refusal_names_the_text_and_what_to_do(sent: SentTexts, message: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        changes(sent, NOTHING)
    assert refused.value.message == message


def test_a_name_that_resembles_none_gets_the_list() -> None:
    with pytest.raises(
        InvalidRequest, match=r"`texts.zzzz` is not a text. Names: greeting, thanks, .*, unavailable."
    ):
        changes({"zzzz": None}, NOTHING)


def test_a_very_long_name_is_cut_in_the_message() -> None:
    with pytest.raises(InvalidRequest) as refused:
        changes({"z" * 100_000: None}, NOTHING)
    assert len(refused.value.message) < 1_500


def test_a_text_of_exactly_the_limit_is_accepted() -> None:
    assert changes({"handoff": {"de": "🦊" * 400}}, NOTHING) == {(TextName.HANDOFF, "de"): "🦊" * 400}
