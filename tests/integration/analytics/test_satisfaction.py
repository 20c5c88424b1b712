"""GET /analytics/satisfaction: the window, its days, and the newest 2,000."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Rating
from helpdesk.platform import clients, clock, ids
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from helpdesk.storage.wire import to_wire
from tests.support.api import Client

DAY_MS = 86_400_000
FROM = 1_763_683_200_000


def given(organization: NewOrganization, *ratings: tuple[int, int], first: int = 0) -> None:
    """Put ratings as (instant, stars), as a rating of each would."""
    for number, (instant, stars) in enumerate(ratings, first):
        transaction = Transaction()
        rating = Rating(
            organization=organization.organization_id,
            id=f"rat_{ids.ulid(instant, number)}",
            conversation_id=f"conv_{number}",
            at=instant,
            stars=stars,
        )
        transaction.put(rating, new=True)
        transaction.commit()


def window(api: Client, query: str = f"from={FROM}&days=7") -> Any:
    return api.get(f"/v1/analytics/satisfaction?{query}").body


def test_without_ratings_there_is_no_average(api: Client) -> None:
    assert window(api) == {
        "perDaySum": [0] * 7,
        "perDayCount": [0] * 7,
        "average": None,
        "count": 0,
        "distribution": [0, 0, 0, 0, 0],
        "capped": False,
    }


def test_ratings_are_counted_by_day_and_by_stars(api: Client, organization: NewOrganization) -> None:
    given(
        organization,
        (FROM, 5),
        (FROM + DAY_MS - 1, 4),
        (FROM + DAY_MS, 1),
        (FROM + 6 * DAY_MS + 5, 5),
    )

    assert window(api) == {
        "perDaySum": [9, 1, 0, 0, 0, 0, 5],
        "perDayCount": [2, 1, 0, 0, 0, 0, 1],
        "average": 3.75,
        "count": 4,
        "distribution": [1, 0, 0, 1, 2],
        "capped": False,
    }


def test_ratings_outside_the_window_are_not_counted(api: Client, organization: NewOrganization) -> None:
    given(organization, (FROM - 1, 1), (FROM, 5), (FROM + 7 * DAY_MS - 1, 5), (FROM + 7 * DAY_MS, 1))

    assert window(api)["distribution"] == [0, 0, 0, 0, 2]


def test_the_window_is_the_last_30_days_unless_asked_otherwise(
    api: Client, organization: NewOrganization
) -> None:
    now = FROM + 100 * DAY_MS
    given(organization, (now - 31 * DAY_MS, 1), (now - 30 * DAY_MS + 1, 3), (now - 10, 4), (now, 5))

    with clock.frozen(lambda: now * 1_000):
        found = window(api, "")

    assert len(found["perDaySum"]) == len(found["perDayCount"]) == 30
    assert (found["perDayCount"][0], found["perDayCount"][-1]) == (1, 2)
    assert found["distribution"] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("days", [7, 30, 90])
def test_a_window_has_as_many_entries_as_days(api: Client, days: int) -> None:
    found = window(api, f"days={days}")

    assert (len(found["perDaySum"]), len(found["perDayCount"])) == (days, days)


@pytest.mark.parametrize("start", [0, 2**48 - 1])
def test_a_window_far_away_is_empty(api: Client, organization: NewOrganization, start: int) -> None:
    given(organization, (FROM, 5))

    assert window(api, f"from={start}&days=90")["count"] == 0


def many(organization: NewOrganization, count: int) -> None:
    """Put ratings a minute apart, the oldest with one star and the others with five."""
    for begin in range(0, count, 25):
        numbers = range(begin, min(begin + 25, count))
        requests = [
            {
                "PutRequest": {
                    "Item": to_wire(
                        Rating(
                            organization=organization.organization_id,
                            id=f"rat_{ids.ulid(FROM + n * 60_000, n)}",
                            conversation_id=f"conv_{n}",
                            at=FROM + n * 60_000,
                            stars=1 if n == 0 else 5,
                        ).to_item()
                    )
                }
            }
            for n in numbers
        ]
        clients.dynamodb().batch_write_item(RequestItems={settings().table_name: requests})  # type: ignore[dict-item]


def test_two_thousand_ratings_are_all_counted(api: Client, organization: NewOrganization) -> None:
    many(organization, 2_000)

    found = window(api)

    assert (found["count"], found["capped"], found["distribution"]) == (2_000, False, [1, 0, 0, 0, 1_999])


def test_of_more_the_newest_two_thousand_are_counted(api: Client, organization: NewOrganization) -> None:
    many(organization, 2_001)

    found = window(api)

    assert (found["count"], found["capped"]) == (2_000, True)
    assert found["distribution"] == [0, 0, 0, 0, 2_000]
    assert found["average"] == 5


def test_the_others_ratings_are_not_seen(stranger: Client, organization: NewOrganization) -> None:
    given(organization, (FROM, 5))

    assert window(stranger)["count"] == 0


def test_ratings_over_the_api_count_with_their_current_stars(api: Client) -> None:
    sent = {"session": "visitor-who-rates", "body": "Hello"}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    api.post(f"/v1/conversations/{conversation}/resolve")
    rating = {"session": sent["session"], "conversationId": conversation}
    api.post("/v1/messages/rating", {**rating, "stars": 1})
    api.post("/v1/messages/rating", {**rating, "stars": 4})

    found = window(api, "days=7")

    assert (found["perDaySum"], found["average"]) == ([0, 0, 0, 0, 0, 0, 4], 4)


def test_a_rating_is_a_small_item(api: Client, organization: NewOrganization) -> None:
    given(organization, (FROM, 5))

    [item] = table.query_all(Rating.partition_for(organization.organization_id))

    assert sum(len(str(name)) + len(str(value)) for name, value in item.items()) < 250
