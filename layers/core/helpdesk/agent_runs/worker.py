"""The jobs of the agent's queue, where a model is set: a message to answer, and a run to continue.

Without a model the agent's own worker does everything (helpdesk/agent/worker.py).
"""

from functools import partial

from helpdesk.agent import worker as agent
from helpdesk.agent.answerer import HandOff, Prepared, Reply, Written
from helpdesk.agent.converse import ModelFailed, ModelTrouble
from helpdesk.agent.reasons import Reason
from helpdesk.agent.worker import AgentJob, Outcome
from helpdesk.agent_runs import deciding, engine, offering, repository
from helpdesk.agent_runs.record import Run
from helpdesk.agent_runs.repository import RunChanged
from helpdesk.approvals.jobs import ResumeJob
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.state import Handler
from helpdesk.customers.identity import Identity
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction


def work(job: AgentJob, *, until: int, last_try: bool) -> Outcome:
    """Answer a visitor's message, or continue the run that a dead worker left for it.

    A run for an earlier message that another job was to continue is continued first: its answer comes first, and its
    calls are known before the model asks for the same again. No step begins after the instant `until` (ms). Raises
    ModelBusy, NotYet and the errors of AWS if the queue is to try again.
    """
    if not settings().agent_model_id:
        return agent.work(job, last_try=last_try)
    run = repository.newest(job.organization, job.conversation_id)
    if run is not None and run.message_id < job.message_id and run.state.is_under_way:
        if _go_on(run, until=until, last_try=last_try) is Outcome.CONTINUES or clock.now_ms() >= until:
            return _after_that(job)
    elif run is not None and run.message_id > job.message_id:
        run = repository.find(job.organization, job.conversation_id, job.message_id)
    if run is not None and run.message_id == job.message_id:
        return _go_on(run, until=until, last_try=last_try)
    answer = partial(_answer, until=until, last_try=last_try)
    return agent.work(job, last_try=last_try, with_tools=answer)


def resume(job: ResumeJob, *, until: int, last_try: bool) -> Outcome:
    """Continue a run after a decision, or after its time in another job was over. Raises as `work`.

    A job that gives up hands the conversation to the team, without the steps that failed before.
    """
    run = repository.find(job.organization, job.conversation_id, job.message_id)
    if run is None:
        return Outcome.GONE
    return _abandon(run) if job.gives_up else _go_on(run, until=until, last_try=last_try)


def _abandon(run: Run) -> Outcome:
    conversation = conversations.find(run.organization, run.conversation_id)
    if conversation is None:
        return Outcome.GONE
    prepared = agent.prepare_again(conversation, run.message_id, with_passages=False)
    at = engine.Desk(prepared, {}, {}, Identity(), {}, until=clock.now_ms(), last_try=True)
    try:
        return _give_up(at, run, None)
    except RunChanged:
        return Outcome.DROPPED  # another worker has gone on


def _after_that(job: AgentJob) -> Outcome:
    """Let a message be answered by a job behind the one that continues the run of an earlier message."""
    transaction = Transaction()
    snapshot = conversations.presumed_open(job.organization, job.conversation_id, Handler.AGENT.value)
    thread.add_agent_job(transaction, snapshot, job.message_id)
    transaction.commit()
    return Outcome.CONTINUES


def _answer(prepared: Prepared, *, until: int, last_try: bool) -> Reply | HandOff | Written:
    desk = engine.desk(prepared, offering.built_in, until=until, last_try=last_try)
    try:
        return engine.begin(desk)
    except Exception as error:
        # The run may be stored by now: then it has to end where it stands.
        run = repository.find(
            prepared.conversation.organization, prepared.conversation.id, prepared.message_id
        )
        if run is None or not _is_final(error, last_try=last_try):
            raise
        return Written(_give_up(desk, run, error).value)


def _go_on(run: Run, *, until: int, last_try: bool) -> Outcome:
    if run.state.is_over:
        return Outcome.ANSWERED_ALREADY
    conversation = conversations.find(run.organization, run.conversation_id)
    if conversation is None:
        return Outcome.GONE
    prepared = agent.prepare_again(conversation, run.message_id)
    desk = engine.desk(prepared, offering.built_in, until=until, last_try=last_try)
    try:
        return engine.advance(desk, deciding.read_decisions(run))
    except RunChanged:
        return Outcome.DROPPED  # another worker has gone on
    except Exception as error:
        if not _is_final(error, last_try=last_try):
            raise
        fresh = repository.find(run.organization, run.conversation_id, run.message_id)
        return Outcome.GONE if fresh is None else _give_up(desk, fresh, error)


def _is_final(error: Exception, *, last_try: bool) -> bool:
    """Return whether another try is not made: there is none left, or the model refuses the request every time."""
    return last_try or isinstance(error, ModelFailed)


def _give_up(desk: engine.Desk, run: Run, error: Exception | None) -> Outcome:
    if run.state.is_over:
        return Outcome.ANSWERED_ALREADY
    cause = "LostRun" if error is None else type(error).__name__
    logger.error("run_given_up", extra={"organization": run.organization, "error": cause})
    reason = Reason.MODEL_FAILED if isinstance(error, ModelTrouble) else Reason.AGENT_FAILED
    return engine.give_up(desk, run, reason)
