"""Lists of conversations: every combination of filters, against a model that keeps them in a list."""

from copy import replace
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.api.http.validation import parse_query
from helpdesk.conversations import list_repository, listing
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import ConversationsQuery
from helpdesk.conversations.state import Handler, Speaker, State, Status
from helpdesk.platform.errors import InvalidCursor, InvalidRequest
from helpdesk.search import service
from helpdesk.search.service import Found
from helpdesk.storage.transactions import Transaction
from tests.support.aws import recorded_calls

START_MS = 1_800_000_000_000
CUSTOMERS = ("cus_a", "cus_b")
TEAMMATES = ("usr_a", "usr_b")
_numbers = count(1)


@dataclass(frozen=True)
class Made:
    """One conversation of the model; `activity` is when its latest message was written, in ms after the start."""

    state: State
    assignee: str | None
    customer: str
    archived: bool
    snoozed: bool
    activity: int
    number: int = 0
    team: str | None = None

    @property
    def id(self) -> str:
        return f"conv_{self.number:026d}"


def numbered(made: list[Made]) -> list[Made]:
    """Number each conversation; a resolved or archived one is not snoozed."""
    return [
        replace(
            one, number=number, snoozed=one.snoozed and not one.archived and one.state.status is Status.OPEN
        )
        for number, one in enumerate(made)
    ]


conversations = st.builds(
    Made,
    state=st.builds(State, st.sampled_from(Status), st.sampled_from(Handler), st.sampled_from(Speaker)),
    assignee=st.sampled_from([None, *TEAMMATES]),
    customer=st.sampled_from(CUSTOMERS),
    archived=st.booleans(),
    snoozed=st.booleans(),
    activity=st.integers(0, 5),
    team=st.sampled_from([None, "team_a", "team_b"]),
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["open", "resolved"]),
        "awaitingHuman": st.sampled_from(["true", "false"]),
        "assignee": st.sampled_from(["none", "me", *TEAMMATES, "usr_nobody"]),
        "team": st.sampled_from(["team_a", "team_nobody"]),
        "customerId": st.sampled_from([*CUSTOMERS, "cus_nobody"]),
        "archived": st.sampled_from(["true", "false"]),
        "snoozed": st.sampled_from(["true", "false"]),
    },
)


def record(organization: str, one: Made) -> Conversation:
    return Conversation(
        organization=organization,
        id=one.id,
        status=one.state.status,
        handled_by=one.state.handled_by,
        last_speaker=one.state.last_speaker,
        assignee=one.assignee,
        team=one.team,
        snoozed_until=START_MS if one.snoozed else None,
        archived_at=START_MS if one.archived else None,
        customer_id=one.customer,
        session_hash="hash",
        subject="A subject",
        started_at=START_MS + one.number,
        last_message_at=START_MS + one.activity,
    )


def put(organization: str, made: list[Made]) -> None:
    """Write conversations."""
    transaction = Transaction()
    for one in made:
        transaction.put(record(organization, one))
    if made:
        transaction.commit()


def holds(chosen: dict[str, str], one: Made) -> bool:
    """Say whether a list holds a conversation, by what the guide to conversations says of each parameter."""
    awaits = (
        one.state.status is Status.OPEN
        and one.state.handled_by is Handler.TEAM
        and one.state.last_speaker is not Speaker.TEAMMATE
    )
    if chosen.get("status", one.state.status.value) != one.state.status.value:
        return False
    if "awaitingHuman" in chosen and awaits != (chosen["awaitingHuman"] == "true"):
        return False
    if one.archived != (chosen.get("archived") == "true"):
        return False
    if "snoozed" in chosen and one.snoozed != (chosen["snoozed"] == "true"):
        return False
    if chosen.get("team", one.team) != one.team:
        return False
    if chosen.get("customerId", one.customer) != one.customer:
        return False
    assignee = {"none": None, "me": "usr_a"}.get(chosen.get("assignee", ""), chosen.get("assignee"))
    return "assignee" not in chosen or one.assignee == assignee


def expected(chosen: dict[str, str], made: list[Made]) -> list[str]:
    """Return the ids of a list in its order."""
    found = [one for one in made if holds(chosen, one)]
    if "customerId" in chosen:
        found.sort(key=lambda one: one.id, reverse=True)
    else:
        found.sort(key=lambda one: (one.activity, one.id), reverse=True)
    return [one.id for one in found]


def caller(organization: str) -> Caller:
    return Caller(organization, person=Person("usr_a", "Ada", Role.MEMBER), cursor_key=b"k" * 32)


def page(organization: str, chosen: dict[str, str], limit: int, cursor: str | None) -> Any:
    parameters = {**chosen, "limit": str(limit), **({} if cursor is None else {"cursor": cursor})}
    query = parse_query(ConversationsQuery, {name: [value] for name, value in parameters.items()})
    return listing.newest(caller(organization), query)


@given(
    made=st.lists(conversations, max_size=14),
    chosen=choices,
    limits=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    examined=st.integers(1, 5),
)
@settings(
    max_examples=40,
    deadline=timedelta(seconds=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_pages_of_any_size_join_to_the_list_of_the_model(
    made: list[Made], chosen: dict[str, str], limits: list[int], examined: int
) -> None:
    organization = f"org_{next(_numbers)}"
    made = numbered(made)
    put(organization, made)
    found: list[str] = []
    cursor, turn = None, 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(list_repository, "EXAMINED", examined)
        while True:
            limit = limits[turn % len(limits)]
            with recorded_calls() as calls:
                answer = page(organization, chosen, limit, cursor)
            assert len(answer.conversations) <= limit
            assert len(calls) <= 7, calls  # of three lists and the customers; a list is read twice at most
            found += [one.id for one in answer.conversations]
            cursor, turn = answer.next_cursor, turn + 1
            if cursor is None:
                break
            assert turn <= 2 + len(made) * 3, "the cursor leads on for ever"

    assert found == expected(chosen, made)


@given(
    made=st.lists(conversations, max_size=10),
    chosen=choices,
    limit=st.integers(1, 6),
    hits=st.permutations(range(12)),
    stride=st.integers(1, 3),
)
@settings(
    max_examples=40,
    deadline=timedelta(seconds=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_search_hits_are_filtered_by_the_other_parameters(
    made: list[Made], chosen: dict[str, str], limit: int, hits: list[int], stride: int
) -> None:
    """The search finds some of the conversations, and two that are gone, in an order of its own."""
    organization = f"org_{next(_numbers)}"
    made = numbered(made)
    put(organization, made)
    order = [number for number in hits if number < len(made) or number >= 10]
    found_ids = [f"conv_{number:026d}" for number in order]

    def search(asked_of: str, text: str, most: int, after: int | None = None) -> Found:
        assert (asked_of, text) == (organization, "red shoes")
        start = after or 0
        end = start + min(most, stride)
        return Found(found_ids[start:end], end if end < len(found_ids) else None)

    found: list[str] = []
    cursor = None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(service, "conversations", search)
        for _ in range(len(found_ids) + 1):
            with recorded_calls() as calls:
                answer = page(organization, {**chosen, "q": " red shoes "}, limit, cursor)
            assert len(answer.conversations) <= limit
            # Of the hits of up to four searches, their customers, and the office hours if one waits.
            assert len(calls) <= 6, calls
            found += [one.id for one in answer.conversations]
            cursor = answer.next_cursor
            if cursor is None:
                break

    assert cursor is None
    by_id = {one.id: one for one in made}
    assert found == [each for each in found_ids if each in by_id and holds(chosen, by_id[each])]


@given(one=conversations, chosen=choices)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_list_query_matches_the_conversations_that_the_list_holds(
    one: Made, chosen: dict[str, str]
) -> None:
    query = parse_query(ConversationsQuery, {name: [value] for name, value in chosen.items()})
    selected = listing.list_query(caller("org_1"), query)
    assert selected.matches(record("org_1", one)) is holds(chosen, one)


@pytest.mark.parametrize(
    ("chosen", "queries"),
    [
        ({}, 3),
        ({"status": "open"}, 2),
        ({"status": "resolved"}, 1),
        ({"awaitingHuman": "true"}, 1),
        ({"awaitingHuman": "false"}, 2),
        ({"archived": "true", "status": "open", "snoozed": "false"}, 1),
        ({"assignee": "none"}, 3),
        ({"team": "team_a"}, 3),
        ({"assignee": "usr_b"}, 2),
        ({"assignee": "me", "status": "open"}, 1),
        ({"assignee": "me", "customerId": "cus_a"}, 1),
        ({"status": "resolved", "awaitingHuman": "true"}, 0),
    ],
)
def test_a_list_is_read_from_the_most_selective_index(chosen: dict[str, str], queries: int) -> None:
    with recorded_calls() as calls:
        page("org_empty", chosen, 50, None)

    assert calls == ["dynamodb:Query"] * queries


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_assignee_is_refused(blank: str) -> None:
    with pytest.raises(InvalidRequest, match="`assignee`"):
        page("org_empty", {"assignee": blank}, 50, None)


def test_a_key_cannot_ask_for_its_own_conversations() -> None:
    key = Caller("org_empty", key_id="key_1", cursor_key=b"k" * 32)

    with pytest.raises(InvalidRequest, match="`assignee`"):
        listing.newest(key, parse_query(ConversationsQuery, {"assignee": ["me"]}))


@pytest.mark.parametrize("parameter", ["assignee", "customerId"])
@pytest.mark.parametrize("unknown", ["usr_unknown", "#", "a#b", "x" * 129, "x" * 3_000, "\0x", "😀", "None"])
def test_an_id_of_any_form_lists_nothing(parameter: str, unknown: str) -> None:
    assert page("org_empty", {parameter: unknown}, 50, None).conversations == []


def test_a_cursor_belongs_to_its_filters() -> None:
    organization = f"org_{next(_numbers)}"
    state = State(Status.OPEN, Handler.AGENT, Speaker.VISITOR)
    put(organization, [Made(state, None, "cus_a", False, False, 1, number) for number in range(3)])
    cursor = page(organization, {"snoozed": "false"}, 1, None).next_cursor
    others: tuple[dict[str, str], ...] = (
        {},
        {"snoozed": "true"},
        {"snoozed": "false", "assignee": "none"},
        {"snoozed": "false", "q": "x"},
        {"snoozed": "false", "q": "None"},
    )

    for chosen in others:
        with pytest.raises(InvalidCursor):
            page(organization, chosen, 1, cursor)
    with pytest.raises(InvalidCursor):
        page("org_other", {"snoozed": "false"}, 1, str(cursor)[:-1])
    assert len(page(organization, {"snoozed": "false"}, 2, cursor).conversations) == 2
