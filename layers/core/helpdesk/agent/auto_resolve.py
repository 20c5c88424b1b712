"""Resolving, at night, conversations that the agent finished and that were quiet for a day.

Only organizations that have `nightlySweep` on are read: their settings are in a sparse index. A night has several runs
(template.yaml) because a function's time is short. Each run continues at the checkpoint of the run before it, which is
written after every page; once the last page is done, further runs of that night do nothing. Reading a conversation
twice is harmless: each is resolved by a conditional write. Each night starts with another shard, so that no shard is
always last when the time does not suffice.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from datetime import UTC, datetime

from helpdesk.agent import repository
from helpdesk.agent.record import AutoResolveCheckpoint
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Speaker, Transition, apply
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS, HOUR_MS
from helpdesk.storage import shards
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction

QUIET_HOURS = 24
_PAGE = 100
_THREADS = 8


class Run(Record):
    """What a run did: how many conversations it resolved, and whether the night is done."""

    resolved: int
    done: bool


def run(until: int) -> Run:
    """Continue this night's work until all is done or the instant `until` (ms) has come."""
    now = clock.now_ms()
    night = datetime.fromtimestamp(now / 1_000, UTC).date().isoformat()
    checkpoint = repository.checkpoints.find(night) or AutoResolveCheckpoint(date=night)
    first = now // DAY_MS
    resolved = 0
    while not checkpoint.night_is_done:
        for organization in _organizations(int(first + checkpoint.shards_done) % shards.SHARDS, checkpoint):
            started = checkpoint.index_key if organization == checkpoint.organization else ""
            for count, index_key in _pages(organization, started, now - QUIET_HOURS * HOUR_MS):
                resolved += count
                checkpoint = replace(checkpoint, organization=organization, index_key=index_key)
                repository.put(checkpoint)
                if clock.now_ms() >= until:
                    return Run(resolved, done=False)
            if (
                clock.now_ms() >= until
            ):  # even if there was no page: the next run starts behind this organization
                behind = replace(checkpoint, organization=f"{organization}0", index_key="")
                repository.put(behind)
                return Run(resolved, done=False)
        checkpoint = AutoResolveCheckpoint(date=night, shards_done=checkpoint.shards_done + 1)
        repository.put(checkpoint)
    return Run(resolved, done=True)


def is_finished(conversation: Conversation) -> bool:
    """Return whether the agent still handles the conversation and its last message is an answer of the agent.

    A hand-off is no answer, even if the team handed the conversation back without writing. An answer that was written
    after another message may not know of it, so nothing may be left unanswered. A snoozed conversation is
    to come back to the team, so it is not finished. One with a call that waits for approval is not finished either.
    """
    return (
        conversation.agent_may_answer
        and conversation.state.last_speaker is Speaker.AGENT
        and not conversation.unanswered
        and conversation.snoozed_until is None
        and not conversation.waiting_approvals
        and conversation.handed_off_at != conversation.last_message_at
    )


def resolve(finished: Sequence[Conversation], agent_name: str, quiet_hours: int) -> int:
    """Resolve finished conversations, each in a transaction of its own; return how many were resolved.

    Sends conversation.updated for each. A conversation that has changed since it was read is left alone.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        return sum(pool.map(lambda each: _resolve(each, agent_name, quiet_hours), finished))


def _resolve(conversation: Conversation, agent_name: str, quiet_hours: int) -> bool:
    now = clock.now_ms()
    state = apply(conversation.state, Transition.RESOLVE)
    transaction = Transaction()
    conversations.write_transition(transaction, conversation, state, by_itself=True)
    line = f"{agent_name} resolved this conversation: nobody has written for {quiet_hours} hours since its answer."
    thread.add_system_line(transaction, conversation, line, now)
    try:
        transaction.commit()
    except (StaleConversation, ConversationNotFound, Conflict):
        return False
    return True


def _organizations(shard: int, checkpoint: AutoResolveCheckpoint) -> Iterator[str]:
    """Yield the organizations of a shard that have `nightlySweep` on, from the one that the checkpoint is in."""
    start = checkpoint.organization
    while page := repository.resolving(shard, start, _PAGE):
        yield from page
        start = page[-1] + "0"


def _pages(organization: str, behind: str, before: int) -> Iterator[tuple[int, str]]:
    """Resolve an organization's finished conversations page by page; yield how many, and the index key reached.

    An error in one organization is logged and stops only that one; the next night tries it again.
    """
    try:
        settings = repository.settings_of(organization)
        if not settings.nightly_sweep:  # switched off since the index was read
            return
        while page := conversations.quiet_page(organization, behind, before, _PAGE):
            finished = [conversation for conversation in page if is_finished(conversation)]
            behind = page[-1].activity
            yield resolve(finished, settings.name, QUIET_HOURS), behind
    except Exception as error:  # noqa: BLE001 - logged for the operator
        logger.error(
            "auto_resolve_failed", extra={"organization": organization, "error": type(error).__name__}
        )
