"""The built-in tools that a run has, by the organization's settings."""

from helpdesk.agent.answerer import Prepared
from helpdesk.agent_runs.prompts import FILE_SIGNAL, SUGGEST
from helpdesk.agent_runs.record import BuiltIn, BuiltIns, Call, Done, Run
from helpdesk.agent_runs.signalling import Signalling
from helpdesk.suggestions import learning as suggestions

_DECLINED = "declined"


def offered(prepared: Prepared, *, has_tools: bool) -> BuiltIns:
    """Return the built-in tools for a visitor's message. Suggestions come from the results of tools."""
    settings = prepared.question.settings
    found: dict[str, BuiltIn] = {}
    if settings.suggest_knowledge and has_tools:
        found[SUGGEST] = _suggest_document(prepared)
    if settings.file_signals:
        found[FILE_SIGNAL] = Signalling(prepared)
    return found


def _suggest_document(prepared: Prepared) -> BuiltIn:
    """Return the tool with which the model suggests a document for the knowledge base."""

    def file(_: Run, call: Call) -> Done:
        given = call.input_value
        title, body = given.get("title"), given.get("body")
        question = next((each for each in prepared.newest if each.id == prepared.message_id), None)
        if not isinstance(title, str) or not isinstance(body, str) or question is None:
            return Done(_DECLINED)
        return Done(suggestions.put_offered(prepared.conversation, question, title, body))

    return file
