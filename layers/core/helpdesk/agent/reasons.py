"""Why the agent hands a conversation to the team. A module of its own, because analytics needs no answerer."""

from enum import StrEnum

from helpdesk.accounts.quotas.errors import Budget


class Reason(StrEnum):
    """Why the agent hands a conversation to the team; a system line of the thread says it."""

    ASKED_FOR_A_PERSON = "the visitor asked for a person"
    NO_KNOWLEDGE = "the knowledge base holds no document that is ready"
    NOTHING_FOUND = "the knowledge base holds no passage that answers the question well enough"
    NO_TEXT = "the message has no text that the agent could read"
    MODEL_DECIDED = "the model could not answer from the knowledge base"
    MODEL_STOPPED = "the model's answer was cut off or withheld"
    MODEL_FAILED = "the model could not be reached"
    TOKENS_SPENT = "this month's tokens of the language model are used up"
    TOKENS_OF_DAY = "today's tokens of the language model are used up"
    TOKENS_OF_CONVERSATION = "this conversation has used up its tokens of the language model for this hour"
    TOKENS_OF_MESSAGE = "the question took more tokens of the language model than one message may use"
    AGENT_FAILED = "the agent failed repeatedly"
    TOO_MANY_STEPS = "the question took more steps than the agent may take"
    TOO_MANY_APPROVALS = "more calls of tools would wait for the team's decision than a conversation may have"
    TOOL_INPUT = "the agent could not write an input that fits a tool"
    TOOL_UNKNOWN = (
        "it is not known whether a tool did what it was called for; check that before it is done again"
    )

    @property
    def is_gap(self) -> bool:
        """Whether the knowledge base lacks the answer, so that a person's answer belongs into it."""
        return self in {Reason.NO_KNOWLEDGE, Reason.NOTHING_FOUND, Reason.MODEL_DECIDED}


OF_BUDGETS = {
    Budget.MESSAGE: Reason.TOKENS_OF_MESSAGE,
    Budget.CONVERSATION: Reason.TOKENS_OF_CONVERSATION,
    Budget.DAY: Reason.TOKENS_OF_DAY,
    Budget.MONTH: Reason.TOKENS_SPENT,
}
"""Why the agent hands over where a turn of the model does not fit into a budget."""
