"""Runs step by step: the model thinks, calls are decided and made, and the agent answers or hands over.

Each step is written before the next one begins, so a worker that dies is continued by the next one. Before each step
the conversation, the tools and the customer are read again, because a turn of a model takes seconds. A person who takes
over, or a resolution, ends the run at a defined point (`state`), and a call is held to the rules as they are now.
"""

from copy import replace
from typing import NamedTuple

from helpdesk.accounts.quotas.errors import TokensSpent
from helpdesk.agent import answers, bedrock, metered
from helpdesk.agent.answerer import HandOff, Outcome, Prepared, Reply
from helpdesk.agent.bedrock import HAND_OVER
from helpdesk.agent.converse import Turn, Usage
from helpdesk.agent.reasons import OF_BUDGETS, Reason
from helpdesk.agent_runs import built_in_tools, deciding, making, prompts, proposing, repository
from helpdesk.agent_runs.proposing import MAX_INVALID_INPUTS
from helpdesk.agent_runs.record import BuiltIns, ModelTurn, Run
from helpdesk.agent_runs.state import CallState, RunEvent, RunState
from helpdesk.conversations import approvals as conversation_approvals
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.customers import service as customers
from helpdesk.customers.record import Identity, identity_of
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import service as tools_service
from helpdesk.tools.approvals import jobs, lifecycle
from helpdesk.tools.approvals.errors import TooManyWaiting
from helpdesk.tools.record import Risk, Tool

MAX_MODEL_CALLS = 8
MAX_TOOL_CALLS = 12
"""How many turns of the model and how many calls a visitor's message may take."""

STEP_MS = 100_000
"""The time that one step takes at most: a turn of the model with its second try (agent/converse.py)."""


class Desk(NamedTuple):
    """What a step works with: the prepared message, the tools by name, who the visitor is, and the built-in tools.

    `tools` are the enabled ones, `offered` those of them that the model may ask for.
    """

    prepared: Prepared
    tools: dict[str, Tool]
    offered: dict[str, Tool]
    identity: Identity
    built_in: BuiltIns


def _desk(prepared: Prepared, conversation: Conversation) -> Desk:
    """Return what a step works with, as it is now. Calls: tools, customer."""
    tools, offered = tools_service.for_agent(conversation.organization)
    customer = customers.find(conversation.organization, conversation.customer_id) if tools else None
    built_in = built_in_tools.offered(prepared, has_tools=bool(tools))
    return Desk(prepared, tools, offered, identity_of(customer), built_in)


def begin(prepared: Prepared, *, until: int, last_try: bool) -> Reply | HandOff | Outcome:
    """Let the model answer a message. A run is stored if it asks for tools, and goes on.

    No step begins after the instant `until` (ms). Raises ModelTrouble, TokensSpent, NotYet.
    """
    at, run = _desk(prepared, prepared.conversation), _new_run(prepared)
    found = _taken(at, _think(at, run, prepared.conversation), run)
    if isinstance(found, HandOff | Reply):
        return found
    stored = _store(found, prepared.conversation, new=True)
    return advance(prepared, stored, until=until, last_try=last_try)


def advance(prepared: Prepared, run: Run, *, until: int, last_try: bool) -> Outcome:
    """Go on with a run until it is over, waits, or the time is over. Raises ModelTrouble, NotYet, RunChanged."""
    while True:
        conversation = conversations.find(run.organization, run.conversation_id)
        if conversation is None:
            return Outcome.GONE
        if run.state is RunState.WAITING:
            return Outcome.WAITING
        if run.state is RunState.THINKING and (event := _interruption(conversation, run)) is not None:
            repository.save(run.after(event))
            return Outcome.STOPPED
        if clock.now_ms() >= until:
            return _hand_on(run)
        at = _desk(prepared, conversation)
        if run.state is RunState.CALLING:
            try:
                run = _call(at, run, conversation, last_try=last_try)
            except TooManyWaiting:
                handoff = HandOff(Reason.TOO_MANY_APPROVALS, _usage(run))
                return _finish(prepared, deciding.interrupt(run), conversation, handoff)
        else:
            decided = _decide(at, run, conversation)
            if not isinstance(decided, Run):
                return _finish(prepared, run, conversation, decided)
            run = decided


def give_up(prepared: Prepared, run: Run, reason: Reason) -> Outcome:
    """Hand a run to the team that the worker cannot go on with, on the last try of its job."""
    conversation = conversations.find(run.organization, run.conversation_id)
    if conversation is None:
        return Outcome.GONE
    run = deciding.read_decisions(run)
    if run.state is RunState.WAITING:
        return Outcome.WAITING
    run = making.settle_lost(run, prepared.question.settings.name, last_try=True)
    run = deciding.interrupt(deciding.expire_all(run))
    # What is interrupted is written with the hand-off.
    return _finish(prepared, run, conversation, HandOff(reason, _usage(run)))


def _new_run(prepared: Prepared) -> Run:
    conversation = prepared.conversation
    return Run(
        organization=conversation.organization,
        conversation_id=conversation.id,
        message_id=prepared.message_id,
        state=RunState.THINKING,
        turns=(),
        calls=(),
        model_calls=0,
        invalid_inputs=0,
        tokens_in=0,
        tokens_out=0,
        resolutions=conversation.resolutions,
    )


def _think(at: Desk, run: Run, conversation: Conversation) -> Turn:
    waiting = _waiting(at)
    return metered.turn(
        at.prepared.conversation.organization,
        settings().agent_model_id,
        prompts.instructions(at.prepared.question, waiting, at.built_in)
        if at.tools or at.built_in
        else bedrock.instructions(at.prepared.question),
        prompts.messages(at.prepared, run),
        prompts.specs(list(at.offered.values()), at.built_in),
        cached=bool(at.tools),
        spent=run.spent(conversation),
    )


def _waiting(at: Desk) -> list[tuple[str, str]]:
    """Return tool and input of the conversation's calls that wait for the team."""
    conversation = at.prepared.conversation
    if not conversation.waiting_approvals:
        return []
    pending = lifecycle.pending_in(conversation.organization, conversation.id)
    return [(each.tool, each.input) for each in pending]


def _decide(at: Desk, run: Run, conversation: Conversation) -> Run | Reply | HandOff:
    """Let the model take a turn in a run; return the run with its calls, or what is decided."""
    if any(call.state is CallState.UNKNOWN and call.risk is not Risk.LOW for call in run.calls):
        # A person has to look: the model might have it done a second time in other words.
        return HandOff(Reason.TOOL_UNKNOWN, _usage(run))
    if run.model_calls >= MAX_MODEL_CALLS:
        return HandOff(Reason.TOO_MANY_STEPS, _usage(run))
    try:
        turn = _think(at, run, conversation)
    except TokensSpent as spent:
        return HandOff(OF_BUDGETS[spent.budget], _usage(run))
    found = _taken(at, turn, run)
    return found if isinstance(found, HandOff | Reply) else _store(found, conversation)


def _taken(at: Desk, turn: Turn, run: Run) -> Run | Reply | HandOff:
    """Return the run with the calls of a turn, not yet written; or the answer or hand-off that the turn is."""
    run = replace(
        run,
        model_calls=run.model_calls + 1,
        tokens_in=run.tokens_in + turn.usage.input,
        tokens_out=run.tokens_out + turn.usage.output,
    )
    if not turn.wants_tools or any(use.name == HAND_OVER for use in turn.tool_uses):
        return _last_word(at, turn, run)
    if len(run.calls) + len(turn.tool_uses) > MAX_TOOL_CALLS:
        return HandOff(Reason.TOO_MANY_STEPS, _usage(run))
    proposed = proposing.propose(
        turn.tool_uses,
        at.offered,
        built_in=at.built_in,
        earlier=run.calls,
        waiting=_waiting(at),
        identity=at.identity,
    )
    invalid = run.invalid_inputs + proposed.invalid
    if proposed.goes_to_team or invalid > MAX_INVALID_INPUTS:
        return HandOff(Reason.TOOL_INPUT, _usage(run))
    return replace(
        run,
        turns=(*run.turns, ModelTurn(turn.text, len(proposed.calls))),
        calls=(*run.calls, *proposed.calls),
        invalid_inputs=invalid,
    ).after(RunEvent.ASKS_FOR_TOOLS)


def _last_word(at: Desk, turn: Turn, run: Run) -> Reply | HandOff:
    decided = bedrock.read(turn, at.prepared.question.passages)
    if isinstance(decided, HandOff):
        return replace(decided, usage=_usage(run))
    named = [each for each in decided.sources if each.title.casefold() in decided.text.casefold()]
    # An answer from tools names no passage; one from passages that names none may come from any.
    return replace(decided, usage=_usage(run), sources=named if run.calls else decided.sources)


def _store(run: Run, conversation: Conversation, *, new: bool = False) -> Run:
    """Write a run with the calls of a turn, and the event that a call starts waiting for review."""
    if run.calls_in(CallState.REVIEWING):
        transaction = Transaction()
        written = repository.add(transaction, run, new=new)
        conversation_approvals.require_state(transaction, conversation)
        thread.add_updated(transaction, conversation, conversation.state, clock.now_ms())
        try:
            transaction.commit()
        except (StaleConversation, ConversationNotFound):
            pass  # a person was faster, and the next step sees that; the event would have said otherwise
        else:
            return written
    return repository.save(run, new=new)


def _call(at: Desk, run: Run, conversation: Conversation, *, last_try: bool) -> Run:
    """Take one step of a run whose calls are not all done; the run is written."""
    run = making.settle_lost(run, at.prepared.question.settings.name, last_try=last_try)
    if run.state is not RunState.CALLING:
        return run
    ended = run.has_ended(conversation)
    if ended or not conversation.agent_may_answer:
        run = deciding.interrupt(run)
    run = deciding.expire_unfit(run, at.tools, at.identity, ended=ended)
    run = deciding.cancel_outdated(run, at.tools, at.identity)
    if run.calls_in(CallState.REVIEWING):
        return deciding.judge(run, at.prepared, conversation, at.tools, last_try=last_try)
    if run.calls_in(CallState.READY, CallState.APPROVED):
        name = at.prepared.question.settings.name
        try:
            return making.make(run, at.tools, conversation, name, at.built_in)
        except (StaleConversation, ConversationNotFound):
            return run  # it was resolved a moment ago, which the next step sees
    waiting = run.calls_in(CallState.WAITING)
    if any(call.approval_id is None for call in waiting):
        asked = deciding.ask_the_team(run, at.prepared, conversation)
        return repository.save(deciding.interrupt(run)) if asked is None else asked
    return repository.save(run.after(RunEvent.WAITS if waiting else RunEvent.RETURNED))


def _interruption(conversation: Conversation, run: Run) -> RunEvent | None:
    """Return why the agent must not go on thinking, or None."""
    if run.has_ended(conversation):
        return RunEvent.ENDED
    if not conversation.agent_may_answer:
        return RunEvent.TAKEN_OVER
    by_team = conversation.answered_up_to > run.message_id and not any(c.approval_id for c in run.calls)
    return RunEvent.TEAM_REPLIES if by_team else None


def _finish(prepared: Prepared, run: Run, conversation: Conversation, decided: Reply | HandOff) -> Outcome:
    """Write the answer or the hand-off, and with it the end of the run."""
    over = run.after(RunEvent.HANDS_OVER if isinstance(decided, HandOff) else RunEvent.ANSWERS)
    composed = answers.compose(prepared, conversation, decided)
    answer = replace(
        composed,
        counted=(decided.usage or _usage(run)).total - run.tokens_counted,
        is_gap=composed.is_gap and not run.calls,
    )

    def end_run(transaction: Transaction, _: Conversation) -> None:
        repository.add(transaction, over)

    if not conversation.agent_may_answer or not answers.write(
        conversation, answer, extra_writes=end_run, resolutions=run.resolutions
    ):
        if run.state is RunState.CALLING and all(call.state.has_result for call in run.calls):
            run = run.after(RunEvent.RETURNED)
        repository.save(run.after(RunEvent.TAKEN_OVER))
        return Outcome.STOPPED
    answers.count_cited(run.organization, answer.sources, prepared.newest)
    return answer.outcome


def _hand_on(run: Run) -> Outcome:
    """Let another job go on: this one has no time for a further step."""
    transaction = Transaction()
    repository.add(transaction, run)
    jobs.put_resume(transaction, run.organization, run.conversation_id, run.message_id)
    transaction.commit()
    return Outcome.CONTINUES


def _usage(run: Run) -> Usage:
    return Usage(run.tokens_in, run.tokens_out)
