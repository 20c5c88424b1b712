"""Makes the calls of a run: each is claimed by a conditional write before its request is sent, so it is made once.

A call that is claimed and has no outcome when a worker takes the run up again was being made by a worker that died: its
outcome is unknown, and it is never repeated. At most three run at once in a conversation.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.agent_runs import repository
from helpdesk.agent_runs.prompts import BUILT_IN, for_model
from helpdesk.agent_runs.record import BuiltIns, Call, Run
from helpdesk.agent_runs.state import CallEvent, CallState, RunEvent
from helpdesk.conversations import approvals as conversation_approvals
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.text import one_line
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import calling, running
from helpdesk.tools.approvals import lifecycle
from helpdesk.tools.approvals.schemas import CallOutcome as ApprovalOutcome
from helpdesk.tools.errors import MAX_RUNNING_TOOLS, TooManyRunning
from helpdesk.tools.record import Risk, Tool
from helpdesk.tools.results import CallOutcome, CallResult
from helpdesk.tools.visitors import visitor_of

LEASE_MS = 60_000
"""How long a claimed call may still be under way. It takes 15 s at most."""

_SAID_CHARACTERS = 300
_EVENTS = {
    CallOutcome.SUCCEEDED: CallEvent.SUCCEEDED,
    CallOutcome.REFUSED: CallEvent.REFUSED,
    CallOutcome.FAILED: CallEvent.FAILED,
    CallOutcome.UNKNOWN: CallEvent.LOST,
}
_LOST = "No answer is known. The tool may have done it. It is not called again."
_NOT_MADE = "The call could not be made."


class NotYet(Exception):
    """A call of this run may still be under way, or three tools run in the conversation: the job comes back."""


def settle_lost(run: Run, agent_name: str, *, last_try: bool) -> Run:
    """Let the outcome of calls be unknown whose worker died. Raises NotYet while one may be under way."""
    for call in run.calls_in(CallState.RUNNING):
        if clock.now_ms() - (call.claimed_at or 0) < LEASE_MS and not last_try:
            raise NotYet
        run = _end(run, call, CallResult(CallOutcome.UNKNOWN, None, _LOST, 0), agent_name)
    return run


def make(
    run: Run,
    tools: dict[str, Tool],
    conversation: Conversation,
    agent_name: str,
    built_in: BuiltIns,
) -> Run:
    """Make the calls that may be made, up to three, and write the outcome of each.

    Raises NotYet, RunChanged, and StaleConversation or ConversationNotFound if the conversation has ended meanwhile.
    """
    batch = run.calls_in(CallState.READY, CallState.APPROVED)[:MAX_RUNNING_TOOLS]
    slots = _slots(conversation, [call for call in batch if call.tool not in BUILT_IN])
    try:
        run = _claim(run, batch, conversation)
        claimed = run.calls_in(CallState.RUNNING)
        with ThreadPoolExecutor(len(claimed)) as pool:
            begun = {pool.submit(_made, run, call, tools.get(call.tool), built_in): call for call in claimed}
            for future in as_completed(begun):
                result, line = future.result()
                run = _end(run, begun[future], result, agent_name, line)
    finally:
        for call_id, name in slots.items():
            running.release(conversation.organization, conversation.id, name, call_id)
    return run


def _slots(conversation: Conversation, calls: Sequence[Call]) -> dict[str, str]:
    """Take a slot for each call; return their names by call. Raises NotYet if there are not enough."""
    taken: dict[str, str] = {}
    try:
        for call in calls:
            taken[call.id] = running.take(conversation.organization, conversation.id, call.id)
    except TooManyRunning:
        for call_id, name in taken.items():
            running.release(conversation.organization, conversation.id, name, call_id)
        raise NotYet from None
    return taken


def _claim(run: Run, batch: Sequence[Call], conversation: Conversation) -> Run:
    """Note that calls are about to be made. Raises as `make`, and ConditionFailed if an approval is not in force."""
    transaction = Transaction()
    now = clock.now_ms()
    for call in batch:
        run = run.with_call(call.after(CallEvent.CLAIMED, claimed_at=now))
    run = repository.add(transaction, run)  # first: a run that has changed says more than its approvals
    for call in batch:
        if call.approval_id is not None:
            lifecycle.begin(transaction, run.organization, call.approval_id)
    conversation_approvals.require_unresolved(transaction, conversation)
    transaction.commit()
    return run


def _made(run: Run, call: Call, tool: Tool | None, built_in: BuiltIns) -> tuple[CallResult, str | None]:
    """Make one call and return its result, and a line for the thread where the call has one of its own.

    Never raises: the call is claimed, so this is its only chance.
    """
    line = None
    try:
        if call.tool in built_in:
            content, line = built_in[call.tool](run, call)
            result = CallResult(CallOutcome.SUCCEEDED, content, None, 0)
        else:
            result = _called(run, call, tool)
    except (ClientError, BotoCoreError, Throttled) as error:  # before anything was sent
        logger.error("tool_not_called", extra={"call": call.id, "error": type(error).__name__})
        result = CallResult(CallOutcome.FAILED, None, _NOT_MADE, 0)
    except Exception as error:  # noqa: BLE001 - a defect, after which nobody knows whether it was sent
        logger.error("tool_call_lost", extra={"call": call.id, "error": type(error).__name__})
        result = CallResult(CallOutcome.UNKNOWN, None, _LOST, 0)
    return result, line


def _called(run: Run, call: Call, tool: Tool | None) -> CallResult:
    if tool is None:
        return CallResult(CallOutcome.FAILED, None, _NOT_MADE, 0)
    return calling.call(
        run.organization,
        tool,
        call.input_value,
        call_id=call.id,
        visitor=visitor_of(call.identity),
        conversation_id=run.conversation_id,
        test=False,
    )


def _end(run: Run, call: Call, result: CallResult, agent_name: str, own_line: str | None = None) -> Run:
    """Write the outcome of a call, with its line in the thread and its approval. Raises RunChanged."""
    said = result.result if result.outcome is CallOutcome.SUCCEEDED else result.error or result.result
    content = for_model(said or "")
    ended = call.after(_EVENTS[result.outcome], content=content, duration=result.duration_ms)
    transaction = Transaction()
    after = run.with_call(ended)
    if all(each.state.has_result for each in after.calls):
        after = after.after(RunEvent.RETURNED)  # in the same write: the model is next
    written = repository.add(transaction, after)
    if call.approval_id is not None:
        outcome = ApprovalOutcome(result.outcome.value)
        lifecycle.end(transaction, run.organization, call.approval_id, outcome, content)
    is_noted = call.risk is not Risk.LOW or result.outcome is CallOutcome.UNKNOWN
    line = _line(call, result, agent_name) if call.tool not in BUILT_IN and is_noted else own_line
    if line is not None:
        snapshot = conversations.presumed_open(run.organization, run.conversation_id, Handler.AGENT.value)
        thread.add_system_line(transaction, snapshot, line, clock.now_ms())
    transaction.commit()
    logger.info(
        "tool_called",
        extra={
            "organization": run.organization,
            "conversation": run.conversation_id,
            "call": call.id,
            "tool": call.tool,
            "outcome": result.outcome.value,
            "duration_ms": result.duration_ms,
        },
    )
    return written


def _line(call: Call, result: CallResult, agent_name: str) -> str:
    what = f"{agent_name} called {call.title} ({call.tool})"
    match result.outcome:
        case CallOutcome.SUCCEEDED:
            return f"{what}. It was done."
        case CallOutcome.UNKNOWN:
            return f"{what}. It is not known whether it was done: check that before it is done again."
        case _:
            return f"{what}. It was not done: {one_line(result.error or '', _SAID_CHARACTERS)}"
