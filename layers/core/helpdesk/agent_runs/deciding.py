"""What is decided about calls before they are made: the review, the question to the team, and the team's answer."""

from copy import replace

from helpdesk.agent import answers
from helpdesk.agent.answerer import Prepared
from helpdesk.agent.answers import Answer
from helpdesk.agent_runs import repository, review
from helpdesk.agent_runs.prompts import for_model
from helpdesk.agent_runs.record import Call, Run
from helpdesk.agent_runs.review import Decision
from helpdesk.agent_runs.state import CallEvent, CallState, RunEvent, RunState
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler
from helpdesk.customers.record import Identity
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import expiry, lifecycle
from helpdesk.tools.approvals.expiry import Cause
from helpdesk.tools.approvals.lifecycle import Wanted
from helpdesk.tools.approvals.record import approvals
from helpdesk.tools.approvals.schemas import ApprovalStatus
from helpdesk.tools.record import Tool
from helpdesk.visitor_texts.catalog import TextName

_NOBODY_DECIDED = "It was not made: nobody decided in time, or the tool has changed. Do not ask for it again."
_OUTDATED = "It was not made: the tool has changed since you asked. Ask again if the visitor still needs it."
_ANOTHER_CUSTOMER = (
    "It was not made: the visitor's identity has changed since you asked for it. Ask for it again only if the visitor "
    "who writes now wants it for themselves."
)
_INTERRUPTED = "It was not made: a person has taken the conversation over, or it has ended."


def judge(
    run: Run, prepared: Prepared, conversation: Conversation, tools: dict[str, Tool], *, last_try: bool
) -> Run:
    """Let the review judge the first call that waits for it: one step takes one turn of a model.

    Raises ModelBusy, RunChanged.
    """
    for call in run.calls_in(CallState.REVIEWING)[:1]:
        tool = tools.get(call.tool)
        if tool is None:
            run = run.with_call(call.after(CallEvent.REVIEW_DENIES, content=_NOBODY_DECIDED))
            continue
        verdict = review.judge(prepared, tool, call, spent=run.spent(conversation), last_try=last_try)
        run = replace(
            run,
            tokens_in=run.tokens_in + verdict.usage.input,
            tokens_out=run.tokens_out + verdict.usage.output,
        )
        match verdict.decision:
            case Decision.RUN:
                judged = call.after(CallEvent.REVIEW_ALLOWS, reason=verdict.reason)
            case Decision.DENY:
                judged = call.after(
                    CallEvent.REVIEW_DENIES,
                    reason=verdict.reason,
                    content=f"A review denied the call: {verdict.reason}. Do not ask for it again.",
                )
            case _:
                judged = call.after(CallEvent.REVIEW_PASSES, reason=verdict.reason)
        run = run.with_call(judged)
    return repository.save(run)


def ask_the_team(run: Run, prepared: Prepared, conversation: Conversation) -> Run | None:
    """Ask for the approvals that calls wait for, and write to the visitor that the team was asked.

    One transaction writes the approvals, the message, a line for the team and the run. Returns None, with nothing
    written, if the agent may not write any more. Raises RunChanged, and TooManyWaiting with nothing written.
    """
    new = [call for call in run.calls_in(CallState.WAITING) if call.approval_id is None]
    name = prepared.question.settings.name
    written: list[Run] = []

    def add_approvals(transaction: Transaction, read: Conversation) -> None:
        lifecycle.require_room(read, len(new))
        asked, lines = run, []
        for call in new:
            approval = lifecycle.asked_for(read, _wanted(run, call))
            lifecycle.add(transaction, approval)
            asked = asked.with_call(replace(call, approval_id=approval.id))
            why = f" The review passed it to the team: {call.reason}." if call.reason else ""
            lines.append(f"{name} asks to call {call.title} ({call.tool}), approval {approval.id}.{why}")
        if not any(call.state.is_actionable for call in asked.calls):
            asked = asked.after(RunEvent.WAITS)
        for line in lines:
            thread.add_system_line(transaction, read, line, clock.now_ms())
        written[:] = [repository.add(transaction, replace(asked, tokens_counted=asked.tokens))]

    answer = Answer(
        answering=run.message_id if conversation.answered_up_to < run.message_id else None,
        name=name,
        body=prepared.question.sentences.write(TextName.TEAM_ASKED, agent=name),
        language=prepared.language,
        counted=run.uncounted,
        new_approvals=len(new),
    )
    is_written = answers.write(conversation, answer, extra_writes=add_approvals, resolutions=run.resolutions)
    return written[0] if is_written else None


def read_decisions(run: Run) -> Run:
    """Return the run with what the team has decided since. It is written with the next step."""
    for call in run.calls_in(CallState.WAITING):
        if call.approval_id is None:
            continue
        approval = approvals.find(run.organization, call.approval_id)
        status = ApprovalStatus.EXPIRED if approval is None else approval.status
        note = None if approval is None else approval.note
        match status:
            case ApprovalStatus.PENDING:
                continue
            case ApprovalStatus.APPROVED:
                decided = call.after(CallEvent.APPROVED)
            case ApprovalStatus.DENIED:
                said = f"The team denied it{f': {note}' if note else '.'}"
                decided = call.after(CallEvent.DENIED, content=for_model(said))
            case _:
                decided = call.after(CallEvent.EXPIRED, content=_NOBODY_DECIDED)
        run = run.with_call(decided)
        if run.state is RunState.WAITING:
            run = run.after(RunEvent.DECIDED)
    return run


def expire_unfit(run: Run, tools: dict[str, Tool], identity: Identity, *, ended: bool) -> Run:
    """Let approved calls expire that are no longer what was approved, or whose conversation has `ended`.

    The tool is another one, or the customer is: `identity` is who they are now.
    """
    for call in run.calls_in(CallState.APPROVED):
        tool = tools.get(call.tool)
        if ended:
            run = _expire(run, call, Cause.CONVERSATION_ENDED)
        elif tool is None or tool.definition != call.definition:
            run = _expire(run, call, Cause.DEFINITION_CHANGED)
        elif call.identity != identity:
            run = _expire(run, call, Cause.IDENTITY_CHANGED)
    return run


def cancel_outdated(run: Run, tools: dict[str, Tool], identity: Identity) -> Run:
    """Cancel calls that were decided for a tool, or for a customer, as they no longer are.

    Time can pass between the decision and the call: the worker died, or another job goes on. `identity` is who the
    customer is now. Calls of an outdated tool are written with the next step. Raises RunChanged.
    """
    for call in run.calls_in(CallState.READY):
        tool = tools.get(call.tool)
        if tool is None:
            continue  # a tool of this service, or one that is gone, which fails
        if tool.definition != call.definition or tool.risk.rank > call.risk.rank:
            run = run.with_call(call.after(CallEvent.OUTDATED, content=_OUTDATED))
        elif call.identity != identity:
            run = _cancel_for_another(run, call)
    return run


def _cancel_for_another(run: Run, call: Call) -> Run:
    """Cancel a call that no approval stands for, and tell the team why, as the expiry of an approval does."""
    transaction = Transaction()
    cancelled = run.with_call(call.after(CallEvent.OUTDATED, content=_ANOTHER_CUSTOMER))
    written = repository.add(transaction, cancelled)
    cause = Cause.IDENTITY_CHANGED
    snapshot = conversations.presumed_open(run.organization, run.conversation_id, Handler.AGENT.value)
    line = f"The call of {call.title} ({call.tool}) was not made: {cause}."
    thread.add_system_line(transaction, snapshot, line, clock.now_ms())
    transaction.put(expiry.log_entry(run.organization, run.conversation_id, call.tool, cause), new=True)
    transaction.commit()
    return written


def expire_all(run: Run) -> Run:
    """Let the approvals expire whose calls the agent cannot make any more, decided or not."""
    for call in run.calls_in(CallState.APPROVED, CallState.WAITING):
        if call.approval_id is not None:
            run = _expire(run, call, Cause.AGENT_FAILED)
    return run


def _expire(run: Run, call: Call, cause: Cause) -> Run:
    approval = None if call.approval_id is None else approvals.find(run.organization, call.approval_id)
    if approval is not None:
        expiry.expire(approval, cause)
    content = _ANOTHER_CUSTOMER if cause is Cause.IDENTITY_CHANGED else _NOBODY_DECIDED
    return repository.save(run.with_call(call.after(CallEvent.EXPIRED, content=content)))


def interrupt(run: Run) -> Run:
    """Cancel the calls that nobody has approved, because the agent may not go on. Nothing is written."""
    for call in run.calls_in(CallState.READY, CallState.REVIEWING, CallState.WAITING):
        if call.approval_id is None:
            run = run.with_call(call.after(CallEvent.INTERRUPTED, content=_INTERRUPTED))
    return run


def _wanted(run: Run, call: Call) -> Wanted:
    return Wanted(
        tool=call.tool,
        title=call.title,
        endpoint_id=call.endpoint_id,
        definition=call.definition,
        identity=call.identity,
        input=call.input,
        risk=call.risk,
        reason=call.reason,
        run_message_id=run.message_id,
        call_id=call.id,
    )
