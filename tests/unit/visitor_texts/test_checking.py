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
LANGUAGES_ALLOWED = "Allowed in `texts.handoff`: en, de, fr, es, it, pt, nl."
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
        (
            {"handoff": {"xx": "x"}},
            "Unknown field `texts.handoff.xx`. Allowed in `texts.handoff`: en, de, fr, es, it, pt, nl.",
        ),
        (
            {"handoff": {"DE": None}},
            f"Unknown field `texts.handoff.DE`; did you mean `texts.handoff.de`? {LANGUAGES_ALLOWED}",
        ),
        (
            {"handoff": {"de": " \n"}},
            "`texts.handoff.de` must not be blank. To restore the default, send null.",
        ),
        (
            {"handoff": {"de": "\u200b\u200d"}},
            "`texts.handoff.de` must not be blank. To restore the default, send null.",
        ),
        (
            {"handoff": {"de": "x" * 401}},
            "`texts.handoff.de` must be at most 400 characters.",
        ),
        (
            {"handoff": {"de": "😀" * 301}},
            "`texts.handoff.de` must be at most 1,200 bytes in UTF-8.",
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


@pytest.mark.parametrize(
    ("given", "meant"), [("handof", "handoff"), ("hand_off", "handoff"), ("answerintro", "answerIntro")]
)
def test_an_unknown_name_is_refused_with_the_nearest(given: str, meant: str) -> None:
    message = (
        rf"Unknown field `texts.{given}`; did you mean `texts.{meant}`\? Allowed in `texts`: greeting, .*"
    )
    with pytest.raises(InvalidRequest, match=message):
        changes({given: {"de": "x"}}, NOTHING)


def test_a_name_that_resembles_none_gets_the_list() -> None:
    message = r"Unknown field `texts.zzzz`. Allowed in `texts`: greeting, thanks, .*, unavailable."
    with pytest.raises(InvalidRequest, match=message):
        changes({"zzzz": None}, NOTHING)


def test_a_very_long_name_is_cut_in_the_message() -> None:
    with pytest.raises(InvalidRequest) as refused:
        changes({"z" * 100_000: None}, NOTHING)
    assert len(refused.value.message) < 1_500


def test_a_text_of_exactly_the_limit_is_accepted() -> None:
    assert changes({"handoff": {"de": "‽" * 400}}, NOTHING) == {(TextName.HANDOFF, "de"): "‽" * 400}
