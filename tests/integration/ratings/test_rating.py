"""POST /messages/rating: once per resolution, changeable for a day, seen by the team alone."""

from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import NotResolved
from helpdesk.conversations.messages import ratings as service
from helpdesk.conversations.messages.schemas import RatingInput
from helpdesk.conversations.record import Conversation, Rating
from helpdesk.conversations.state import Transition
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.people import issue_token

SESSION = "visitor-who-rates"
HOUR_MS = 3_600_000
NOW = 1_763_683_200_000


def a_resolved_conversation(api: Client, session: str = SESSION) -> str:
    conversation = str(api.post("/v1/messages", {"session": session, "body": "Hello"}).body["conversationId"])
    assert api.post(f"/v1/conversations/{conversation}/resolve").status == 200
    return conversation


def rate(api: Client, conversation: str, stars: Any = 4, **more: Any) -> Any:
    sent = {"session": SESSION, "conversationId": conversation, "stars": stars, **more}
    return api.post("/v1/messages/rating", sent)


def shown(api: Client, conversation: str) -> Any:
    return api.get(f"/v1/conversations/{conversation}").body["conversation"]["rating"]


def lines(api: Client, conversation: str) -> list[str]:
    entries = api.get(f"/v1/conversations/{conversation}").body["messages"]
    return [entry["body"] for entry in entries if "rated" in entry["body"]]


def ratings(organization: NewOrganization) -> list[dict[str, Any]]:
    return table.query_all(Rating.partition_for(organization.organization_id))


def at(instant_ms: int) -> Any:
    return clock.frozen(lambda: instant_ms * 1_000)


def test_a_resolved_conversation_is_rated_and_shows_it(api: Client, organization: NewOrganization) -> None:
    conversation = a_resolved_conversation(api)

    assert rate(api, conversation, 4).body == {"ok": True}

    assert shown(api, conversation) == 4
    [rating] = ratings(organization)
    assert (rating["stars"], rating["conversationId"]) == (4, conversation)


def test_the_note_is_in_the_teams_thread_and_nowhere_else(api: Client, organization: NewOrganization) -> None:
    conversation = a_resolved_conversation(api)

    rate(api, conversation, 2, note="  Slow, but right.  ")

    assert lines(api, conversation) == ["The visitor rated this conversation 2 of 5 stars: Slow, but right."]
    assert "Slow" not in str(ratings(organization))
    assert "Slow" not in str(api.get(f"/v1/messages?session={SESSION}").body)


def test_a_rating_sends_no_event(api: Client, organization: NewOrganization) -> None:
    conversation = a_resolved_conversation(api)
    before = events(organization)

    rate(api, conversation)

    assert events(organization) == before


def events(organization: NewOrganization) -> list[str]:
    page = table.query(Event.partition_for(organization.organization_id, index="GSI1"), index="GSI1")
    return [item["id"] for item in page.items]


def test_an_open_conversation_is_not_rated(api: Client) -> None:
    conversation = api.post("/v1/messages", {"session": SESSION, "body": "Hello"}).body["conversationId"]

    answer = rate(api, conversation)

    assert (answer.status, answer.code) == (400, "not_resolved")
    assert shown(api, conversation) is None


def test_a_rating_is_changed_within_a_day_and_stays_one(api: Client, organization: NewOrganization) -> None:
    with at(NOW):
        conversation = a_resolved_conversation(api)
        rate(api, conversation, 1, note="Bad")
    with at(NOW + 24 * HOUR_MS):
        assert rate(api, conversation, 5).status == 200

        assert shown(api, conversation) == 5
    assert [rating["stars"] for rating in ratings(organization)] == [5]
    assert [rating["at"] for rating in ratings(organization)] == [NOW]
    # A change replaces the rating as a whole: the note that was left out is gone.
    assert lines(api, conversation) == ["The visitor rated this conversation 5 of 5 stars."]


def test_a_rating_cannot_be_changed_after_a_day(api: Client, organization: NewOrganization) -> None:
    with at(NOW):
        conversation = a_resolved_conversation(api)
        rate(api, conversation, 1)
    with at(NOW + 24 * HOUR_MS + 1):
        answer = rate(api, conversation, 5)

        assert (answer.status, answer.code) == (409, "rating_settled")
        assert shown(api, conversation) == 1
    assert [rating["stars"] for rating in ratings(organization)] == [1]


def test_a_change_does_not_prolong_the_day(api: Client) -> None:
    with at(NOW):
        conversation = a_resolved_conversation(api)
        rate(api, conversation, 1)
    with at(NOW + 20 * HOUR_MS):
        rate(api, conversation, 2)
    with at(NOW + 25 * HOUR_MS):
        assert rate(api, conversation, 3).code == "rating_settled"


def test_each_resolution_has_a_rating_of_its_own(api: Client, organization: NewOrganization) -> None:
    with at(NOW):
        conversation = a_resolved_conversation(api)
        rate(api, conversation, 1)
        api.post(f"/v1/conversations/{conversation}/reopen")
        assert rate(api, conversation, 5).code == "not_resolved"
        assert shown(api, conversation) == 1
    with at(NOW + 48 * HOUR_MS):
        api.post(f"/v1/conversations/{conversation}/close")
        assert rate(api, conversation, 5).status == 200

        assert shown(api, conversation) == 5
    assert [rating["stars"] for rating in ratings(organization)] == [1, 5]
    assert len(lines(api, conversation)) == 2


def test_a_conversation_of_another_session_is_not_found(api: Client) -> None:
    conversation = a_resolved_conversation(api)

    answer = rate(api, conversation, session="someone-else-entirely")

    assert (answer.status, answer.code) == (404, "conversation_not_found")
    assert shown(api, conversation) is None


def test_a_conversation_of_another_organization_is_not_found(api: Client, stranger: Client) -> None:
    conversation = a_resolved_conversation(api)
    stranger.post("/v1/messages", {"session": SESSION, "body": "Hello"})

    assert rate(stranger, conversation).code == "conversation_not_found"


def test_an_archived_conversation_is_not_rated(api: Client, organization: NewOrganization) -> None:
    conversation = a_resolved_conversation(api)
    table.update(
        Conversation.key_for(organization.organization_id, conversation),
        "SET archivedAt = :now",
        values={":now": NOW},
    )

    answer = rate(api, conversation)

    assert (answer.status, answer.code) == (400, "conversation_archived")


def test_a_persons_token_does_not_rate(api: Client, organization: NewOrganization) -> None:
    conversation = a_resolved_conversation(api)
    person = Client(issue_token(organization.organization_id, role="owner", name="Olga"))

    assert rate(person, conversation).code == "invalid_api_key"


def test_a_rating_costs_three_calls(api: Client) -> None:
    conversation = a_resolved_conversation(api)

    with recorded_calls() as calls:
        rate(api, conversation)

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:TransactWriteItems"]


@pytest.mark.parametrize("rater_count", [2, 3])
def test_of_ratings_at_once_one_is_the_first_and_the_others_change_it(
    api: Client, organization: NewOrganization, rater_count: int
) -> None:
    for seed in range(8):
        conversation = a_resolved_conversation(api)
        pieces = [partial(given, organization, conversation, stars) for stars in range(1, rater_count + 1)]

        outcomes = interleaved(pieces, seed)

        assert outcomes.errors == [None] * rater_count
        mine = [each for each in ratings(organization) if each["conversationId"] == conversation]
        assert [each["stars"] for each in mine] == [shown(api, conversation)]
        assert shown(api, conversation) == outcomes.commits[-1] + 1
        assert len(lines(api, conversation)) == 1


def test_a_rating_while_the_team_opens_the_conversation_is_given_before_or_refused(
    api: Client, organization: NewOrganization
) -> None:
    seen = set()
    for seed in range(12):
        session = f"visitor-number-{seed}"  # one that is opened again takes its visitor's next message
        conversation = a_resolved_conversation(api, session)
        caller = Caller(organization.organization_id, person=Person("usr_1", "Max", Role.MEMBER))
        reopen = partial(conversations.transition, caller, conversation, Transition.REOPEN)

        outcomes = interleaved([partial(given, organization, conversation, 5, session), reopen], seed)

        refused = isinstance(outcomes.errors[0], NotResolved)
        assert outcomes.errors == [outcomes.errors[0] if refused else None, None]
        assert outcomes.commits[0] == (1 if refused else 0)
        assert shown(api, conversation) == (None if refused else 5)
        seen.add(refused)
    assert seen == {True, False}


def given(organization: NewOrganization, conversation: str, stars: int, session: str = SESSION) -> None:
    sent = {"session": session, "conversationId": conversation, "stars": stars}
    service.rate(organization.organization_id, RatingInput.model_validate(sent))
