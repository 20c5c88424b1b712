"""Figures about visitors' satisfaction (Specification: GET /analytics/satisfaction)."""

from helpdesk.analytics.schemas import MAX_RATINGS, Satisfaction, SatisfactionQuery
from helpdesk.conversations.errors import MAX_STARS
from helpdesk.conversations.messages import ratings
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS


def satisfaction(organization: str, query: SatisfactionQuery) -> Satisfaction:
    """Return the ratings of a window by day and by stars; of more than 2,000 the newest. One query.

    A rating counts for the day on which it was first given, with the stars that it has now.
    """
    length = query.days * DAY_MS
    # A window that ends now includes the present millisecond.
    start = clock.now_ms() + 1 - length if query.start is None else query.start
    found = ratings.newest(organization, start, start + length, MAX_RATINGS + 1)
    counted = found[:MAX_RATINGS]
    sums, counts = [0] * query.days, [0] * query.days
    distribution = [0] * MAX_STARS
    for rating in counted:
        day = (rating.at - start) // DAY_MS
        sums[day] += rating.stars
        counts[day] += 1
        distribution[rating.stars - 1] += 1
    return Satisfaction(
        per_day_sum=sums,
        per_day_count=counts,
        average=sum(sums) / len(counted) if counted else None,
        count=len(counted),
        distribution=distribution,
        capped=len(found) > MAX_RATINGS,
    )
