"""The names of the sentences, and the placeholders of each."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from helpdesk.platform.record import Record

MAX_TEXT_CHARACTERS = 400
MAX_TEXT_BYTES = 1_200
"""The longest sentence, in UTF-8. All of them at this size, in every language, fit into one item of 400 KB."""


class TextName(StrEnum):
    """A sentence that a visitor or customer reads, as `texts` of the API names it."""

    GREETING = "greeting"
    THANKS = "thanks"
    ANSWER_INTRO = "answerIntro"
    ANSWER_INTRO_SECTION = "answerIntroSection"
    ANSWER_LANGUAGE = "answerLanguage"
    ANSWER_LINK = "answerLink"
    ANSWER_OUTRO = "answerOutro"
    ASK_BACK = "askBack"
    HANDOFF = "handoff"
    HANDOFF_PAGES = "handoffPages"
    TEAM_ASKED = "teamAsked"
    GOODBYE = "goodbye"
    SIGNAL_DONE = "signalDone"
    MAIL_SUBJECT = "mailSubject"
    MAIL_AUTHOR = "mailAuthor"
    MAIL_REPLY = "mailReply"
    MAIL_NO_REPLY = "mailNoReply"
    MAIL_RESOLVED = "mailResolved"
    MAIL_RATE = "mailRate"
    MAIL_UNSUBSCRIBE = "mailUnsubscribe"
    FILE_GONE = "fileGone"
    WIDGET_AUTHOR = "widgetAuthor"
    WIDGET_WAITING = "widgetWaiting"
    WIDGET_RATING = "widgetRating"
    WIDGET_STARS = "widgetStars"
    WIDGET_COMMENT = "widgetComment"
    WIDGET_RATE = "widgetRate"
    WIDGET_EMAIL = "widgetEmail"
    WIDGET_MESSAGE = "widgetMessage"
    WIDGET_MESSAGES = "widgetMessages"
    WIDGET_FILES = "widgetFiles"
    WIDGET_SEND = "widgetSend"
    REFUSAL_EMPTY = "refusalEmpty"
    REFUSAL_LENGTH = "refusalLength"
    REFUSAL_FILES = "refusalFiles"
    REFUSAL_FILE_TYPE = "refusalFileType"
    REFUSAL_FILE_SIZE = "refusalFileSize"
    REFUSAL_FILE_GONE = "refusalFileGone"
    REFUSAL_BUSY = "refusalBusy"
    REFUSAL_RATING = "refusalRating"
    UNAVAILABLE = "unavailable"

    @property
    def is_of_widget(self) -> bool:
        """Whether a chat widget shows it, and not this service."""
        return self.value.startswith(("widget", "refusal")) or self is TextName.UNAVAILABLE


class Placeholders(Record):
    """The placeholders of a sentence: those that it must have, and those that it may have."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    @property
    def allowed(self) -> frozenset[str]:
        """All of them."""
        return self.required | self.optional


_NONE = Placeholders()

PLACEHOLDERS: Final[Mapping[TextName, Placeholders]] = {
    **dict.fromkeys(TextName, _NONE),
    TextName.GREETING: Placeholders(optional=frozenset({"agent"})),
    TextName.THANKS: Placeholders(optional=frozenset({"agent"})),
    TextName.ANSWER_INTRO: Placeholders(frozenset({"title"})),
    TextName.ANSWER_INTRO_SECTION: Placeholders(frozenset({"title"}), frozenset({"section"})),
    TextName.ANSWER_LANGUAGE: Placeholders(frozenset({"language"})),
    TextName.ANSWER_LINK: Placeholders(frozenset({"url"})),
    TextName.ANSWER_OUTRO: Placeholders(optional=frozenset({"agent"})),
    TextName.ASK_BACK: Placeholders(frozenset({"first", "second"})),
    TextName.HANDOFF: Placeholders(optional=frozenset({"agent"})),
    TextName.HANDOFF_PAGES: Placeholders(optional=frozenset({"agent"})),
    TextName.TEAM_ASKED: Placeholders(optional=frozenset({"agent"})),
    TextName.GOODBYE: Placeholders(optional=frozenset({"agent"})),
    TextName.SIGNAL_DONE: Placeholders(frozenset({"title"})),
    TextName.MAIL_SUBJECT: Placeholders(optional=frozenset({"organization"})),
    TextName.MAIL_AUTHOR: Placeholders(frozenset({"author"}), frozenset({"organization"})),
    TextName.MAIL_REPLY: Placeholders(optional=frozenset({"author"})),
    TextName.MAIL_NO_REPLY: Placeholders(optional=frozenset({"author"})),
    TextName.MAIL_RESOLVED: Placeholders(optional=frozenset({"organization"})),
    TextName.WIDGET_STARS: Placeholders(frozenset({"stars"})),
}
"""Placeholders by sentence. In a text they stand in braces: `{title}`."""
