"""An issue is opened for a signal once, whatever repeats or fails."""

from typing import Any

import pytest

from scripts.services.server import Fault, Said, Services
from scripts.services.tracker import Tracker, Workspace
from tests.integration.linear.conftest import file, signal, state
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import BASE_URL, later
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("opening")

URL = "https://linear.app/acme/issue/ENG-1/a-title"


def test_a_filed_signal_opens_one_issue_with_quotes_and_without_names(
    api: Client, acme: Workspace, workers: Workers
) -> None:
    filed = file(
        api, body="It ends at row 1,000.", priority="high", who="Vera Visitor", quote="Mine stops, too!"
    )
    workers.run()

    [issue] = acme.issues.values()
    assert issue["title"] == "The export stops"
    assert issue["description"] == (
        "It ends at row 1,000.\n\n> Mine stops, too!\n\n"
        f"Reported by 1 customer. Helpdesk signal `{filed}`. {BASE_URL}/v1/signals/{filed}"
    )
    assert (issue["priority"], issue["state"]["name"]) == (2, "Backlog")
    assert signal(api, filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert signal(api, filed)["updatedByName"] == "Linear"


@pytest.mark.parametrize("how", [{"hangs_up": True, "works": True}, {"said": Said(502), "works": True}])
def test_an_issue_whose_response_was_lost_is_found_and_not_opened_again(
    api: Client, acme: Workspace, services: Services, workers: Workers, how: dict[str, Any]
) -> None:
    services.fail("POST", "/graphql", **how)
    filed = file(api)
    workers.run()
    assert signal(api, filed)["tracker"] is None
    with later(400):
        workers.run()

    assert signal(api, filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(acme.shown()) == ["ENG-1"]


def test_an_issue_that_is_moved_before_its_signal_has_it_moves_the_signal(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, services: Services
) -> None:
    filed = file(api)
    create = Fault(lambda asked: b"issueCreate" in asked.body, said=Said(502), works=True)
    services.faults.append(create)
    workers.run()
    assert (signal(api, filed)["tracker"], list(acme.shown())) == (None, ["ENG-1"])
    linear.move(acme, "ENG-1", "Done")
    with later(60):
        workers.run()

    assert signal(api, filed)["tracker"]["identifier"] == "ENG-1"
    assert (signal(api, filed)["status"], state(acme)) == ("done", "Done")


def test_two_workers_that_open_at_once_open_one_issue(
    api: Client, acme: Workspace, services: Services, workers: Workers
) -> None:
    filed = file(api)
    services.fail("POST", "/graphql", said=Said(502), works=True)  # the other worker has opened it
    workers.run()
    [opened] = acme.issues
    table.remove(f"ISSUE#{opened}")  # and this one does not know
    with later(400):
        workers.run()

    assert signal(api, filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(acme.shown()) == ["ENG-1"]


def test_a_job_that_comes_twice_opens_one_issue(api: Client, acme: Workspace, workers: Workers) -> None:
    file(api)
    workers.run()
    workers._carried.clear()  # every record of the stream again
    workers.run()

    assert list(acme.shown()) == ["ENG-1"]


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
def test_a_service_that_cannot_answer_now_is_asked_again_later(
    api: Client, acme: Workspace, services: Services, workers: Workers, limited: Said
) -> None:
    services.fail("POST", "/graphql", said=limited)
    filed = file(api)
    workers.run()
    assert acme.issues == {}
    with later(60):
        workers.run()

    assert signal(api, filed)["tracker"] == {"identifier": "ENG-1", "url": URL}
