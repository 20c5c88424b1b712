"""Requests and responses of the agent's settings (Specification: Agent settings)."""

from typing import Annotated, ClassVar, Literal

from helpdesk.agent.errors import (
    MAX_NAME_CHARACTERS,
    MAX_PERSONALITY_CHARACTERS,
    MAX_QUESTION_CHARACTERS,
    MIN_NAME_CHARACTERS,
)
from helpdesk.api.http.schemas import Answer, Body, Query, schema_hint
from helpdesk.visitor_texts.catalog import MAX_TEXT_CHARACTERS, TextName
from helpdesk.visitor_texts.languages import LANGUAGES, Language

AgentName = Annotated[str, schema_hint(minLength=MIN_NAME_CHARACTERS, maxLength=MAX_NAME_CHARACTERS)]
Personality = Annotated[str, schema_hint(maxLength=MAX_PERSONALITY_CHARACTERS)]
Text = Annotated[str, schema_hint(minLength=1, maxLength=MAX_TEXT_CHARACTERS)]

_NAMES = schema_hint(propertyNames={"enum": [name.value for name in TextName]})
_CODES = schema_hint(propertyNames={"enum": list(LANGUAGES)})


class AgentSettingsWithTexts(Answer):
    """The settings with the sentences that visitors read, the answer of GET and PATCH /agent."""

    omits_null: ClassVar[bool] = True

    name: AgentName
    """The name that visitors see."""
    personality: Personality
    """How the agent speaks, in your words; empty for its own manner."""
    auto_resolve: bool
    """Whether it may end conversations that it finished on its own."""
    learn_from_threads: bool
    """Whether resolved threads are read for knowledge suggestions."""
    suggest_knowledge: bool
    """Whether it may file knowledge and tool suggestions in mid-conversation."""
    nightly_sweep: bool
    """Whether finished threads that were quiet for a day are resolved at night."""
    file_signals: bool
    """Whether it may file bugs and suggestions in mid-conversation."""
    require_email: bool
    """Whether the widget asks for an e-mail address before the first message."""
    message_preview: bool
    """Whether the closed widget previews an unread reply on its button."""
    language: Language
    """The language of sentences for visitors whose own language is not known."""
    texts: Annotated[dict[str, Annotated[dict[str, Text], _CODES]], _NAMES] | None = None
    """Every sentence that visitors read, by name and language: your own, or the default. Only with `texts=true`."""
    custom_texts: Annotated[dict[str, list[Language]], _NAMES]
    """The languages in which a sentence is your own, by name. All others are the defaults."""


class AgentQuery(Query):
    """The query of GET and PATCH /agent."""

    texts: bool = False
    """Whether the answer has the sentences that visitors read, in every language. They are about 15 KB."""


class WidgetSettings(Answer):
    """GET /widget/settings: what a chat widget needs to know before it shows itself."""

    agent_name: str
    """The name that visitors see."""
    require_email: bool
    """Whether it asks for an e-mail address before the first message."""
    message_preview: bool
    """Whether it previews an unread reply on its button while it is closed."""
    show_branding: bool
    """Whether it shows the attribution mark."""
    language: Language
    """The language of `texts`: the requested one, or else the organization's."""
    texts: Annotated[dict[str, Text], _NAMES]
    """The sentences that a widget shows, by name."""


class WidgetQuery(Query):
    """The query of GET /widget/settings."""

    language: Annotated[str, schema_hint(examples=["de-AT,de;q=0.9,en;q=0.8"])] | None = None
    """The visitor's languages: a locale such as `de-AT`, or the browser's Accept-Language header."""


class AgentSettingsChange(Body):
    """The body of PATCH /agent. Only the fields that are sent change."""

    name: AgentName | None = None
    """The name that visitors see; 2 to 40 characters after trimming."""
    personality: Personality | None = None
    """Up to 2,000 characters after trimming; empty for the agent's own manner."""
    auto_resolve: bool | None = None
    """Whether it may end conversations that it finished on its own."""
    learn_from_threads: bool | None = None
    """Whether resolved threads are read for knowledge suggestions."""
    suggest_knowledge: bool | None = None
    """Whether it may file knowledge and tool suggestions in mid-conversation."""
    nightly_sweep: bool | None = None
    """Whether finished threads that were quiet for a day are resolved at night."""
    file_signals: bool | None = None
    """Whether it may file bugs and suggestions in mid-conversation."""
    require_email: bool | None = None
    """Whether the widget asks for an e-mail address before the first message."""
    message_preview: bool | None = None
    """Whether the closed widget previews an unread reply on its button."""
    language: Language | None = None
    """The language of sentences for visitors whose own language is not known. Null returns to `en`."""
    texts: Annotated[dict[str, Annotated[dict[str, Text | None], _CODES] | None], _NAMES] | None = None
    """The sentences to change, by name and language. Null returns a sentence, a name or all of them to the default."""


class TestQuestion(Body):
    """The body of POST /agent/test."""

    question: Annotated[str, schema_hint(maxLength=MAX_QUESTION_CHARACTERS)]
    """What a visitor would write; up to 4,000 characters after trimming."""


class TestedPassage(Answer):
    """A section of a document that the agent found."""

    document_id: str
    title: str
    heading: str
    """The headings above the section, from the outermost on; empty at a document's beginning."""
    text: str
    """The section's text, in Markdown."""
    score: float
    """How likely the section answers the question, from 0 to 1. From 0.5 on, the agent without a model quotes it."""


class TestAnswer(Answer):
    """The response of POST /agent/test."""

    outcome: Literal["answer", "ask_back", "hand_off"]
    """`ask_back` if the agent would ask which of two documents the visitor means."""
    reason: str | None
    """Why the agent would hand the conversation to the team; null if it would not."""
    body: str
    """What the visitor would read, in Markdown."""
    passages: list[TestedPassage]
    """Up to five sections, each of another document, the best first."""
