"""The agent's work on its queue's jobs: a visitor's message to answer, and a run to continue.

One job is one visitor's message. Queues repeat jobs and deliver them out of order, so the job first reads whether there
is anything to do. The write at the end requires the same: the conversation is open, the agent handles it, and this
message is not answered yet. An answer that fails this condition is dropped, which is no error.

Where a model is set, it answers with tools, in a run that is stored with its first call (`engine`). Without one, the
embedded answerer quotes the knowledge base.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.accounts.quotas.errors import TokensSpent
from helpdesk.agent import answers, asking_back, embedded, preparation
from helpdesk.agent.answerer import AskBack, Goodbye, HandOff, Outcome, Prepared, Reply
from helpdesk.agent.converse import ModelFailed, ModelTrouble
from helpdesk.agent.errors import MAX_QUESTION_CHARACTERS
from helpdesk.agent.intents import is_closing_message, requests_human
from helpdesk.agent.reasons import OF_BUDGETS, Reason
from helpdesk.agent_runs import deciding, engine, repository
from helpdesk.agent_runs.record import Run
from helpdesk.agent_runs.repository import RunChanged
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Handler
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals.jobs import ResumeJob
from helpdesk.visitor_texts.catalog import TextName


def work(job: AgentJob, *, until: int, last_try: bool) -> Outcome:
    """Answer a visitor's message, or continue the run that a dead worker left for it.

    A run for an earlier message that another job was to continue is continued first: its answer comes first, and its
    calls are known before the model asks for the same again. No step begins after the instant `until` (ms). Raises
    ModelBusy, NotYet and the errors of AWS if the queue is to try again. On the last try, and where the model refuses
    the request, it hands off instead, so that every visitor gets a reply.
    """
    if settings().agent_model_id:
        run = repository.newest(job.organization, job.conversation_id)
        if run is not None and run.message_id < job.message_id and run.state.is_under_way:
            if _go_on(run, until=until, last_try=last_try) is Outcome.CONTINUES or clock.now_ms() >= until:
                return _after_that(job)
        elif run is not None and run.message_id > job.message_id:
            run = repository.runs.find(job.organization, job.conversation_id, job.message_id)
        if run is not None and run.message_id == job.message_id:
            return _go_on(run, until=until, last_try=last_try)
    # Again if someone writes before the conversation can be resolved.
    return repeat_when_stale(lambda: _answer(job, until=until, last_try=last_try), StaleConversation)


def resume(job: ResumeJob, *, until: int, last_try: bool) -> Outcome:
    """Continue a run after a decision, or after its time in another job was over. Raises as `work`.

    A job that gives up hands the conversation to the team, without the steps that failed before.
    """
    run = repository.runs.find(job.organization, job.conversation_id, job.message_id)
    if run is None:
        return Outcome.GONE
    if not job.gives_up:
        return _go_on(run, until=until, last_try=last_try)
    conversation = conversations.find(run.organization, run.conversation_id)
    if conversation is None:
        return Outcome.GONE
    try:
        return _give_up(_prepare_again(conversation, run), run, None)
    except RunChanged:
        return Outcome.DROPPED  # another worker has gone on


def _after_that(job: AgentJob) -> Outcome:
    """Let a message be answered by a job behind the one that continues the run of an earlier message."""
    transaction = Transaction()
    snapshot = conversations.presumed_open(job.organization, job.conversation_id, Handler.AGENT.value)
    thread.add_agent_job(transaction, snapshot, job.message_id)
    transaction.commit()
    return Outcome.CONTINUES


def _answer(job: AgentJob, *, until: int, last_try: bool) -> Outcome:
    """Answer a visitor's message, together with those before it that nobody has answered.

    Raises StaleConversation if the answer must be decided again. Calls: conversation, thread, settings, index, the
    pages that a hand-off shows, transaction, and the counts of the documents that an answer comes from.
    """
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None:
        return Outcome.GONE
    if (silence := _silence(conversation, job)) is not None:
        return silence
    newest = conversations.newest_messages(conversation, preparation.THREAD_MESSAGES)
    pending = preparation.pending_messages(newest, conversation.answered_up_to)
    if (silence := _silence_after_reading(pending, job)) is not None:
        return silence
    prepared = preparation.prepare(conversation, job.message_id, newest, pending)
    decided: Reply | AskBack | HandOff | Goodbye | Outcome | None
    try:
        decided = _decide_unread(prepared, pending)
        if decided is None:
            prepared, meant = _with_question(prepared)
            passages = preparation.passages_for(job.organization, prepared.question.text, meant)
            prepared = prepared.with_passages(passages or [])  # also for the hand-off, if the model fails
            if meant is not None and passages:
                question = prepared.question
                decided = embedded.quote(
                    passages[0], question.text, question.sentences, question.settings.name
                )
            else:
                decided = _decide(
                    prepared, has_knowledge=passages is not None, until=until, last_try=last_try
                )
    except Exception as error:  # noqa: BLE001 - it is raised again unless it ends the work on this message
        decided = _given_up(error, job, last_try=last_try)
    if isinstance(decided, Outcome):
        return decided
    answer = answers.compose(prepared, conversation, decided)
    if not answers.write(conversation, answer):
        return Outcome.DROPPED
    answers.count_cited(conversation.organization, answer.sources, newest)
    return answer.outcome


def _silence(conversation: Conversation, job: AgentJob) -> Outcome | None:
    """Return why the agent must not answer in this conversation, or None."""
    if not conversation.agent_may_answer:
        return Outcome.NOT_OURS
    return Outcome.ANSWERED_ALREADY if conversation.answered_up_to >= job.message_id else None


def _silence_after_reading(pending: Sequence[Message], job: AgentJob) -> Outcome | None:
    """Return why this job leaves the messages that wait to another, or None."""
    if not pending:
        return Outcome.ANSWERED_ALREADY
    if pending[-1].id == job.message_id:
        return None
    return Outcome.LEFT_TO_NEWER if pending[-1].id > job.message_id else Outcome.GONE


def _decide_unread(prepared: Prepared, pending: Sequence[Message]) -> HandOff | Goodbye | None:
    """Return what the agent writes if it needs no knowledge for it, else None."""
    question = prepared.question
    if not question.text:
        return HandOff(Reason.NO_TEXT)
    if any(requests_human(message.body) for message in pending):
        return HandOff(Reason.ASKED_FOR_A_PERSON)
    if question.settings.auto_resolve and _is_finished(prepared, pending):
        return Goodbye(question.sentences.write(TextName.GOODBYE, agent=question.settings.name))
    return None


def _with_question(prepared: Prepared) -> tuple[Prepared, str | None]:
    """Return what is asked together with the reply, if the visitor replies to a question back, and the document meant.

    A model reads the thread, and decides by itself.
    """
    if settings().agent_model_id:
        return prepared, None
    question, asked = prepared.question, asking_back.asked_last(prepared.newest)
    if asked is not None and is_closing_message(question.text, question.settings.name):
        return prepared, None
    if asked is None:
        may_ask = not asking_back.was_asked(prepared.newest)
        return replace(prepared, question=replace(question, may_ask_back=may_ask)), None
    meant = asking_back.chosen(asked.choices, question.text)
    text = (
        asked.question
        if meant is not None
        else cut(f"{asked.question}\n\n{question.text}", MAX_QUESTION_CHARACTERS)
    )
    with_reply = replace(prepared, question=replace(question, text=text))
    return with_reply, None if meant is None else meant.document_id


def _decide(
    prepared: Prepared, *, has_knowledge: bool, until: int, last_try: bool
) -> Reply | AskBack | HandOff | Outcome:
    """Return what the agent writes, or the outcome of the run that has written it."""
    if settings().agent_model_id:
        return _begin(prepared, until=until, last_try=last_try)
    return embedded.answer(prepared.question) if has_knowledge else HandOff(Reason.NO_KNOWLEDGE)


def _is_finished(prepared: Prepared, pending: Sequence[Message]) -> bool:
    """Return whether only the agent has answered so far, and the pending messages only close the conversation."""
    conversation, agent_name = prepared.conversation, prepared.question.settings.name
    if conversation.handed_off_at is not None or conversation.waiting_approvals:
        return False
    kinds = {message.author.kind for message in prepared.newest if message.author}
    return kinds == {"ai"} and all(
        is_closing_message(message.body, agent_name) and not message.attachments for message in pending
    )


def _given_up(error: Exception, job: AgentJob, *, last_try: bool) -> HandOff:
    """Return the hand-off for what kept the agent from answering. Raises the error if the queue is to try again."""
    if isinstance(error, TokensSpent):
        return HandOff(OF_BUDGETS[error.budget])
    if not _is_final(error, last_try=last_try):
        raise error
    logger.error("agent_gave_up", extra={"organization": job.organization, "error": type(error).__name__})
    return HandOff(Reason.MODEL_FAILED if isinstance(error, ModelTrouble) else Reason.AGENT_FAILED)


def _begin(prepared: Prepared, *, until: int, last_try: bool) -> Reply | HandOff | Outcome:
    try:
        return engine.begin(prepared, until=until, last_try=last_try)
    except Exception as error:
        # The run may be stored by now: then it has to end where it stands.
        run = repository.runs.find(
            prepared.conversation.organization, prepared.conversation.id, prepared.message_id
        )
        if run is None or not _is_final(error, last_try=last_try):
            raise
        return _give_up(prepared, run, error)


def _go_on(run: Run, *, until: int, last_try: bool) -> Outcome:
    if run.state.is_over:
        return Outcome.ANSWERED_ALREADY
    conversation = conversations.find(run.organization, run.conversation_id)
    if conversation is None:
        return Outcome.GONE
    prepared = _prepare_again(conversation, run)
    if text := prepared.question.text:
        passages = preparation.passages_for(run.organization, text)
        prepared = prepared.with_passages(passages or [])
    try:
        return engine.advance(prepared, deciding.read_decisions(run), until=until, last_try=last_try)
    except RunChanged:
        return Outcome.DROPPED  # another worker has gone on
    except Exception as error:
        if not _is_final(error, last_try=last_try):
            raise
        fresh = repository.runs.find(run.organization, run.conversation_id, run.message_id)
        return Outcome.GONE if fresh is None else _give_up(prepared, fresh, error)


def _prepare_again(conversation: Conversation, run: Run) -> Prepared:
    newest = conversations.newest_messages(conversation, preparation.THREAD_MESSAGES)
    return preparation.prepare(conversation, run.message_id, newest)


def _is_final(error: Exception, *, last_try: bool) -> bool:
    """Return whether another try is not made: there is none left, or the model refuses the request every time."""
    return last_try or isinstance(error, ModelFailed)


def _give_up(prepared: Prepared, run: Run, error: Exception | None) -> Outcome:
    if run.state.is_over:
        return Outcome.ANSWERED_ALREADY
    cause = "LostRun" if error is None else type(error).__name__
    logger.error("run_given_up", extra={"organization": run.organization, "error": cause})
    reason = Reason.MODEL_FAILED if isinstance(error, ModelTrouble) else Reason.AGENT_FAILED
    return engine.give_up(prepared, run, reason)
