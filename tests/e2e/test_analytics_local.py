"""Figures on the deployed local stack: they agree with the threads while messages arrive, and forget who is erased."""

import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from helpdesk.analytics.datasets import DATASETS
from tests.support.web import Web, eventually

VISITORS, MESSAGES = 3, 2
STARS = (5, 2)


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    return Web(stack["base_url"], stack["secret_key"])


class Traffic:
    """Visitors who write, a team that replies and resolves, and ratings; what was done so far."""

    def __init__(self, api: Web, mark: str) -> None:
        self.api, self.mark = api, mark
        self.conversations: list[str] = []
        self.sent = 0

    def run(self) -> None:
        """Let everybody write in turns; the first ones rate."""
        for turn in range(MESSAGES):
            for number in range(VISITORS):
                session = f"{self.mark}-{number}"
                sent = {
                    "session": session,
                    "body": f"Message {turn} of {self.mark}",
                    "user": {"name": session},
                }
                self.sent += 2  # counted before, so that no figure is ever ahead
                written = self.api.post("/v1/messages", sent).body["conversationId"]
                reply = {"body": "A person here.", "takeOver": True}
                assert self.api.post(f"/v1/conversations/{written}/reply", reply).status == 200
                if not turn:
                    self.conversations.append(written)
        for number, stars in enumerate(STARS):
            conversation = self.conversations[number]
            assert self.api.post(f"/v1/conversations/{conversation}/resolve").status == 200
            rating = {"session": f"{self.mark}-{number}", "conversationId": conversation, "stars": stars}
            assert self.api.post("/v1/messages/rating", rating).status == 200


def explore(
    api: Web, dataset: str, ids: list[str], field: str = "conversation", **query: Any
) -> dict[str, Any]:
    of_these = [{"field": "conversation", "op": "in", "value": ids}]
    answer = api.post(
        "/v1/analytics/explore", {"query": {"dataset": dataset, "filters": of_these, **query}, "days": 2}
    )
    assert answer.status == 200, answer.body
    return dict(answer.body)


def threads(api: Web, conversations: list[str]) -> list[list[dict[str, Any]]]:
    found = [api.get(f"/v1/conversations/{each}").body["messages"] for each in conversations]
    return [[entry for entry in thread if entry["kind"] == "message"] for thread in found]


def counts(api: Web) -> list[int]:
    found = api.get("/v1/analytics/satisfaction?days=7").body
    return [found["count"], sum(found["perDaySum"]), *found["distribution"]]


def everywhere(api: Web) -> str:
    """Return the newest rows of all datasets, with every field."""
    assert len(DATASETS) == 12
    return "\n".join(
        str(
            api.post("/v1/analytics/records", {"query": {"dataset": each}, "days": 2, "limit": 200}).body[
                "rows"
            ]
        )
        for each in DATASETS
    )


def test_figures_agree_with_threads_while_messages_arrive_and_forget_an_erased_customer(
    api: Web,
) -> None:
    mark = f"fig{uuid.uuid4().hex[:12]}"
    traffic, before = Traffic(api, mark), counts(api)
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(traffic.run)
        seen = 0
        while not writing.done():
            if traffic.conversations:
                ids = list(traffic.conversations)
                found = explore(api, "messages", ids, bucket="day", groupBy="sender", top=20)
                assert found["matched"] == sum(each["total"] for each in found["series"])
                for series in found["series"]:
                    assert series["total"] == sum(point["value"] for point in series["points"])
                assert seen <= found["matched"] <= traffic.sent
                seen = found["matched"]
            time.sleep(0.2)
        writing.result()

    ids = traffic.conversations
    naive = threads(api, ids)
    total = sum(map(len, naive))
    rated = len(STARS)

    def at_rest() -> bool | None:
        return (
            explore(api, "messages", ids)["matched"] == total
            and explore(api, "ratings", ids)["matched"] == rated
        ) or None

    eventually(at_rest, 40)
    senders = {
        each["key"]: each["total"] for each in explore(api, "messages", ids, groupBy="sender")["series"]
    }
    by_visitors = sum(entry["sender"] == "visitor" for thread in naive for entry in thread)
    assert senders == {"visitor": by_visitors, "teammate": total - by_visitors}
    stars = explore(api, "ratings", ids, measure={"op": "sum", "field": "stars"})["series"][0]["total"]
    assert stars == sum(STARS)
    after = counts(api)
    assert [now - was for now, was in zip(after, before, strict=True)] == [
        rated, stars, *(STARS.count(each) for each in range(1, 6)),
    ]  # fmt: skip
    rows = api.post(
        "/v1/analytics/records",
        {
            "query": {
                "dataset": "conversations",
                "filters": [{"field": "subject", "op": "contains", "value": mark}],
            },
            "days": 2,
            "fields": ["status", "messages", "teamMessages", "rating", "customer"],
            "sort": {"by": "time", "direction": "asc"},
        },
    ).body
    listed = {each: api.get(f"/v1/conversations/{each}").body["conversation"] for each in ids}
    assert [row["id"] for row in rows["rows"]] == ids
    for row, thread, rating in zip(rows["rows"], naive, [*STARS, None], strict=True):
        status, messages, by_team, stars, customer = row["values"]
        assert (status, customer) == (listed[row["id"]]["status"], listed[row["id"]]["customer"]["id"])
        assert (messages, by_team, stars) == (len(thread), len(thread) // 2, rating)

    erased, kept = rows["rows"][0]["values"][-1], rows["rows"][1]["values"][-1]
    receipt = api.delete(f"/v1/customers/{erased}").body["receipt"]["id"]
    eventually(lambda: api.get(f"/v1/erasures/{receipt}").body["receipt"]["finishedAt"], 30)
    left = everywhere(api)
    assert erased not in left
    assert ids[0] not in left
    assert f"{mark}-0" not in left
    assert kept in left
    assert api.get(f"/v1/customers/{erased}/export").status == 404
