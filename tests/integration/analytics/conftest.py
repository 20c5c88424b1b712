"""An inbox whose changes reach analytics when a test says so."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.analytics import repository
from tests.support.api import Answer, Client
from tests.support.changes import Stream
from tests.support.workers import Workers


class Desk:
    """An inbox, its stream and the queries about it."""

    def __init__(self, api: Client, organization: NewOrganization) -> None:
        self.api = api
        self.organization = organization.organization_id
        self.stream = Stream()
        self.workers = Workers("search", "suggestion")

    def write(self, visitor: str, body: str = "Where is my parcel?", **rest: Any) -> dict[str, Any]:
        """Write as a visitor."""
        answer = self.api.post("/v1/messages", {"session": f"session-of-{visitor}", "body": body, **rest})
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.body
        return found

    def answer(self) -> None:
        """Let the agent answer, and analytics follow."""
        self.workers.run()
        self.stream.deliver()

    def explore(self, dataset: str, **query: Any) -> Answer:
        """Explore a dataset."""
        return self.api.post("/v1/analytics/explore", {"query": {"dataset": dataset, **query}})

    def rows(self, dataset: str, **query: Any) -> list[dict[str, Any]]:
        """Return the rows of a dataset, as values by field, oldest first."""
        answer = self.api.post(
            "/v1/analytics/records",
            {
                "query": {"dataset": dataset, **query},
                "sort": {"by": "time", "direction": "asc"},
                "limit": 200,
            },
        )
        assert answer.status == 200, answer.body
        return [
            dict(zip(answer.body["fields"], row["values"], strict=True))
            | {"id": row["id"], "title": row["title"]}
            for row in answer.body["rows"]
        ]


@pytest.fixture
def desk(api: Client, organization: NewOrganization) -> Desk:
    repository._noted.clear()
    made = Desk(api, organization)
    made.stream.deliver()
    return made
