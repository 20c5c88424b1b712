"""The built-in tool with which the model suggests a document for the knowledge base (`suggestKnowledge`)."""

from helpdesk.agent.answerer import Prepared
from helpdesk.agent_runs.built_in import BuiltIn, Done
from helpdesk.agent_runs.record import Call, Run
from helpdesk.suggestions import filing as suggestions

_DECLINED = "declined"


def filing(prepared: Prepared) -> BuiltIn:
    """Return what files a suggestion for the visitor's message of a run."""

    def file(_: Run, call: Call) -> Done:
        given = call.input_value
        title, body = given.get("title"), given.get("body")
        question = next((each for each in prepared.newest if each.id == prepared.message_id), None)
        if not isinstance(title, str) or not isinstance(body, str) or question is None:
            return Done(_DECLINED)
        return Done(suggestions.file(prepared.conversation, question, title, body))

    return file
