"""Reading signals: the list, and one signal with its reporters and commits."""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import service as search
from helpdesk.signals import repository, service
from helpdesk.signals.repository import SignalFilter
from helpdesk.signals.schemas import (
    CommitShape,
    ReporterShape,
    SignalAnswer,
    SignalQuery,
    SignalsAnswer,
    SignalsQuery,
)
from helpdesk.signals.shapes import SignalShape


def newest(caller: Caller, query: SignalsQuery) -> SignalsAnswer:
    """Return a page of signals, newest first. Raises InvalidRequest, InvalidCursor."""
    wanted = SignalFilter(query.kind, query.status, query.priority)
    text = None if query.q is None else trimmed(query.q)
    if text is not None and is_blank(text):
        raise InvalidRequest("`q` must not be blank. Omit it to list all signals.")
    name = f"signals?{wanted!r}{text!r}"
    place = position(caller, query, name)
    if text is not None:
        hits = search.signals(caller.organization, text, query.limit, place)
        known = repository.signals.by_ids(caller.organization, ids=hits.ids, consistent=False)
        shown = [each for each in known.values() if each.merged_into is None and wanted.matches(each)]
        return SignalsAnswer(
            signals=[SignalShape.from_record(each) for each in shown],
            next_cursor=next_cursor(caller, hits.after, name),
        )
    found, end = repository.newest(caller.organization, wanted, query.limit, place)
    shapes = [SignalShape.from_record(each) for each in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], found[room - 1].id
    return SignalsAnswer(signals=shapes, next_cursor=next_cursor(caller, end, name))


def get(caller: Caller, signal_id: str, query: SignalQuery) -> SignalAnswer:
    """Return a signal with a page of its reporters, oldest first, and its commits.

    The signal is read last, so that nobody sees a reporter or a commit with the signal before it. Three calls. Raises
    SignalNotFound, InvalidCursor.
    """
    name = f"signals/{signal_id}/reporters"
    place = position(caller, query, name)
    found, end = repository.reporters.page(
        caller.organization, signal_id, index="GSI3", limit=query.limit, after=place
    )
    shapes = [ReporterShape.from_record(each) for each in found]
    commits = repository.all_commits(caller.organization, signal_id)
    signal = service.get(caller.organization, signal_id)
    shown = [CommitShape.from_record(each) for each in commits]
    room = max(1, fitting([*shown, *shapes]) - len(shown))  # the commits are on each page
    if room < len(shapes):
        shapes, end = shapes[:room], found[room - 1].position("GSI3")
    return SignalAnswer(
        signal=SignalShape.from_record(signal),
        reporters=shapes,
        commits=shown,
        next_cursor=next_cursor(caller, end, name),
    )
