"""An issue is opened for a signal once, whatever repeats or fails."""

from typing import Any

import pytest

from scripts.services.server import Fault, Said
from tests.integration.linear.conftest import Issues
from tests.support import table
from tests.support.integrations import BASE_URL, later

pytestmark = pytest.mark.usefixtures("opening")

URL = "https://linear.app/acme/issue/ENG-1/a-title"


def test_a_filed_signal_opens_one_issue_with_quotes_and_without_names(issues: Issues) -> None:
    filed = issues.filed(
        body="It ends at row 1,000.", priority="high", who="Vera Visitor", quote="Mine stops, too!"
    )

    [issue] = issues.acme.issues.values()
    assert issue["title"] == "The export stops"
    assert issue["description"] == (
        "It ends at row 1,000.\n\n> Mine stops, too!\n\n"
        f"Reported by 1 customer. Helpdesk signal `{filed}`. {BASE_URL}/console/signals/{filed}"
    )
    assert (issue["priority"], issue["state"]["name"]) == (2, "Backlog")
    assert issues.signal(filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert issues.signal(filed)["updatedByName"] == "Linear"


@pytest.mark.parametrize("how", [{"hangs_up": True, "works": True}, {"said": Said(502), "works": True}])
def test_an_issue_whose_response_was_lost_is_found_and_not_opened_again(
    issues: Issues, how: dict[str, Any]
) -> None:
    issues.services.fail("POST", "/graphql", **how)
    filed = issues.filed()
    assert issues.signal(filed)["tracker"] is None
    with later(400):
        issues.run()

    assert issues.signal(filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(issues.acme.shown()) == ["ENG-1"]


def test_an_issue_that_is_moved_before_its_signal_has_it_moves_the_signal(issues: Issues) -> None:
    filed = issues.file()
    create = Fault(lambda asked: b"issueCreate" in asked.body, said=Said(502), works=True)
    issues.services.faults.append(create)
    issues.run()
    assert (issues.signal(filed)["tracker"], list(issues.acme.shown())) == (None, ["ENG-1"])
    issues.moved("ENG-1", "Done")
    with later(60):
        issues.run()

    assert issues.signal(filed)["tracker"]["identifier"] == "ENG-1"
    assert (issues.status(filed), issues.state()) == ("done", "Done")


def test_two_workers_that_open_at_once_open_one_issue(issues: Issues) -> None:
    filed = issues.file()
    issues.services.fail("POST", "/graphql", said=Said(502), works=True)  # the other worker has opened it
    issues.run()
    [opened] = issues.acme.issues
    table.remove(f"ISSUE#{opened}")  # and this one does not know
    with later(400):
        issues.run()

    assert issues.signal(filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(issues.acme.shown()) == ["ENG-1"]


@pytest.mark.parametrize(
    "limited",
    [
        Said(429, headers={"retry-after": "30"}),
        Said(400, {"errors": [{"message": "x", "extensions": {"type": "ratelimited"}}]}),
        Said(
            400,
            {"errors": [{"message": "Rate limit exceeded", "extensions": {"code": "RATELIMITED"}}]},
            headers={"x-ratelimit-requests-remaining": "0", "x-ratelimit-requests-reset": "1"},
        ),
        Said(200, {"errors": [{"message": "x", "extensions": {"type": "lock timeout"}}], "data": None}),
        Said(200, body=b"<html>"),
        Said(500),
    ],
)
def test_a_service_that_cannot_answer_now_is_asked_again_later(issues: Issues, limited: Said) -> None:
    issues.services.fail("POST", "/graphql", said=limited)
    filed = issues.filed()
    assert issues.acme.issues == {}
    with later(60):
        issues.run()

    assert issues.signal(filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
