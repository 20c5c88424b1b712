"""The built-in tool with which the model files a signal, or adds the visitor to one that exists (`fileSignals`).

The model chooses what the visitor means; this module decides what that may change. A message of a visitor leads to one
signal at most, of medium priority, whatever the model was led to ask for, and a day has limits. A signal that this
module files has an id that follows from the message's, so a repeat after a crash finds it. A customer's report is
written once anyway. Of similar signals the model reads what the team wrote: a title that came from another customer
could tell this one something, or tell the model what to do. In its place stands how similar it is.
"""

import json
from enum import StrEnum
from typing import Any

from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import (
    MAX_FILED_SIGNALS_A_DAY,
    MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY,
    SignalsOfDayReached,
)
from helpdesk.agent.answerer import Prepared
from helpdesk.agent_runs.prompts import FILE_SIGNAL, NEW_SIGNAL
from helpdesk.agent_runs.record import Call, Done, Run
from helpdesk.api.logs import service as logs
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.logging import logger
from helpdesk.platform.text import as_name, cut
from helpdesk.progress import signal_moves
from helpdesk.search.embeddings.embedder import EmbeddingFailed
from helpdesk.signals import filing, reporting, similar, titles
from helpdesk.signals import service as signals
from helpdesk.signals.errors import (
    MAX_BODY_CHARACTERS,
    MAX_QUOTE_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    SignalEmpty,
    SignalExists,
    SignalNotFound,
    TitleRequired,
)
from helpdesk.signals.kinds import SignalKind, SignalStatus
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import ReportInput, SignalInput
from helpdesk.signals.similar import Near
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.transactions import Transaction


class Outcome(StrEnum):
    """The outcome of a call, as the model reads it."""

    SIMILAR = "not_filed_yet"
    FILED = "filed"
    JOINED = "joined"
    REOPENED = "reopened"
    STAYS_DONE = "joined, and it stays done until the team looks at it"
    SECOND = "refused: one signal a message"
    INCOMPLETE = "refused: kind, title or body is missing"
    GONE = "refused: no such signal among the similar ones"
    OF_DAY = "refused: no more signals are filed today"


_LAST = frozenset({Outcome.FILED, Outcome.JOINED, Outcome.REOPENED, Outcome.STAYS_DONE})
_LIKELY_THE_SAME = 0.8
"""Titles that mean the same reach this similarity, and others do not: "… a photo" and "… a video" have 0.79."""
_CHOOSE = (
    "Nothing is filed yet. If one of these is what the visitor means, call {tool} again with its id as signalId. "
    "If none is, call it again with signalId {new}. One without a title is in another customer's words: choose it only "
    "if its likeness is `nearly the same`."
)


class Signalling:
    """Files a signal for the visitor's message of a run."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._organization = prepared.conversation.organization
        self._agent = prepared.question.settings.name

    def __call__(self, run: Run, call: Call) -> Done:
        """Do what a call asks for and return the outcome. Raises Conflict."""
        earlier = [_said(each) for each in run.calls if each.tool == FILE_SIGNAL and each.id != call.id]
        if any(each.get("outcome") in _LAST for each in earlier):
            return _done(Outcome.SECOND)
        wanted = self._wanted(run, call.input_value)
        if wanted is None:
            return _done(Outcome.INCOMPLETE)
        offered = {one["id"] for each in earlier for one in each.get("similar", [])}
        return self._chosen(run, wanted, call.input_value.get("signalId") or None, offered)

    def _chosen(self, run: Run, wanted: SignalInput, chosen: object, offered: set[str]) -> Done:
        """File a signal, join one, or name the similar ones: `offered` are those that the model has read of."""
        if isinstance(chosen, str) and chosen != NEW_SIGNAL:
            return self._join(run, chosen, wanted) if chosen in offered else _done(Outcome.GONE)
        title = wanted.title or ""
        found = self._similar(title)
        same = next((each.signal for each in found if _is_titled(each.signal, title)), None)
        if any(each.signal.id == signal_id(run) for each in found):
            same, found = None, []  # a worker that died has filed it
        if same is not None and same.id in offered:
            return self._join(run, same.id, wanted)
        if same is not None or (found and not (offered and chosen == NEW_SIGNAL)):
            return _offer(found)
        return self._file(run, wanted)

    def _wanted(self, run: Run, given: dict[str, Any]) -> SignalInput | None:
        """Return the signal as it would be filed; None if something is missing. The priority is never the model's."""
        kind, title, body = given.get("kind"), given.get("title"), given.get("body")
        if kind not in set(SignalKind) or not isinstance(title, str) or not isinstance(body, str):
            return None
        line = as_name(title, MAX_TITLE_CHARACTERS)
        if not line or not titles.folded(line) or not body.strip():
            return None
        return SignalInput.model_validate(
            {
                "kind": kind,
                "title": line,
                "body": cut(body.strip(), MAX_BODY_CHARACTERS),
                "conversationId": run.conversation_id,
                "quote": self._quote(run, given.get("quote")),
            }
        )

    def _quote(self, run: Run, given: object) -> str:
        """Return the visitor's own words: those that the model quotes, if they wrote them; else their message."""
        written = [each for each in self._prepared.newest if each.by_visitor and each.body]
        if isinstance(given, str) and given.strip():
            said = " ".join(given.split())
            if any(said in " ".join(each.body.split()) for each in written):
                return cut(said, MAX_QUOTE_CHARACTERS)
        own = next((each.body for each in written if each.id == run.message_id), "")
        return cut(own.strip(), MAX_QUOTE_CHARACTERS)

    def _similar(self, title: str) -> list[Near]:
        try:
            return similar.near(self._organization, title)
        except EmbeddingFailed as error:
            # A double can be merged; a report that is not filed is lost.
            logger.warning("similar_signals_unknown", extra={"error": type(error).__name__})
            return []

    def _file(self, run: Run, wanted: SignalInput) -> Done:
        by_agent = filing.ByAgent(signal_id(run), self._count)
        try:
            signal = filing.file(self._organization, ActorName(self._agent), wanted, by_agent)
        except SignalsOfDayReached as reached:
            return self._refused(wanted, reached)
        except SignalExists:  # another message filed it at this moment
            return _offer(self._similar(wanted.title or ""))
        except (SignalEmpty, TitleRequired, InvalidRequest, ConversationNotFound):
            return _done(Outcome.INCOMPLETE)
        line = f"{self._agent} filed the {signal.kind.value} “{signal.title}” ({signal.id})."
        return _done(Outcome.FILED, signal, line)

    def _count(self, transaction: Transaction) -> None:
        customer_id = self._prepared.conversation.customer_id
        quotas.count_signal(transaction, self._organization, customer_id, clock.now_ms())

    def _refused(self, wanted: SignalInput, reached: SignalsOfDayReached) -> Done:
        """Tell the team, in the thread and in the log, that a limit of the day keeps a signal from being filed."""
        if reached.of_customer:
            subject, why = "signals_of_customer", f"{MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY} of this customer"
        else:
            subject, why = "signals", f"{MAX_FILED_SIGNALS_A_DAY} of the organization"
        logs.record_agent_limit(
            self._organization, subject, f"The agent did not file a signal: {why} were filed today."
        )
        line = f"{self._agent} did not file the {wanted.kind.value} “{wanted.title}”: {why} were filed today."
        return _done(Outcome.OF_DAY, line=line)

    def _join(self, run: Run, chosen: str, wanted: SignalInput) -> Done:
        report = ReportInput.model_validate({"conversationId": run.conversation_id, "quote": wanted.quote})
        try:
            alive = signals.survivor(self._organization, chosen)
            may_reopen = self._reported_before(alive)
            signal = filing.report(self._organization, ActorName(self._agent), alive.id, report)
            is_done = signal.status is SignalStatus.DONE
            if is_done and may_reopen:
                signal = signal_moves.reopen(self._organization, ActorName(self._agent), signal.id)
        except (SignalNotFound, InvalidRequest, ConversationNotFound):
            return _done(Outcome.GONE)
        what = f"the {signal.kind.value} “{signal.title}” ({signal.id})"
        if not is_done:
            return _done(Outcome.JOINED, signal, f"{self._agent} added the visitor to {what}.")
        if may_reopen:
            return _done(Outcome.REOPENED, signal, f"{self._agent} reopened {what}.")
        line = f"{self._agent} added the visitor to {what}, which is done: they report that it still happens."
        return _done(Outcome.STAYS_DONE, signal, line)

    def _reported_before(self, signal: Signal) -> bool:
        """Return whether this customer reported a signal before it was done, so that they may reopen it."""
        if signal.done_at is None:
            return False
        customer_id = self._prepared.conversation.customer_id
        return reporting.reported_before(self._organization, signal.id, customer_id, signal.done_at)


def signal_id(run: Run) -> str:
    """Return the id of the signal that a run files: it follows from its message's, so there is one at most."""
    return f"signal_{run.message_id.partition('_')[2]}"


def _is_titled(signal: Signal, title: str) -> bool:
    return titles.folded(title) in {titles.folded(each) for each in signal.titles}


def _said(call: Call) -> dict[str, Any]:
    """Return what an earlier call came to, as it was written for the model."""
    try:
        found = json.loads(call.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _offer(found: list[Near]) -> Done:
    shown = [
        {
            "id": each.signal.id,
            "kind": each.signal.kind.value,
            **_titled(each.signal),
            "likeness": "nearly the same" if each.similarity >= _LIKELY_THE_SAME else "related",
            "status": each.signal.status.value,
        }
        for each in found
    ]
    content = {
        "outcome": Outcome.SIMILAR.value,
        "similar": shown,
        "next": _CHOOSE.format(tool=FILE_SIGNAL, new=NEW_SIGNAL),
    }
    return Done(json.dumps(content, ensure_ascii=False))


def _titled(signal: Signal) -> dict[str, str]:
    return {"title": signal.title} if signal.titled_by_team else {}


def _done(outcome: Outcome, signal: Signal | None = None, line: str | None = None) -> Done:
    about = {} if signal is None else {**_titled(signal), "status": signal.status.value}
    return Done(json.dumps({"outcome": outcome.value, **about}, ensure_ascii=False), line)
