"""Issues that GitHub does not let us open as a signal is filed are opened once it does, and the team reads why."""

from typing import Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from helpdesk.platform.clock import now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Said, Services
from tests.support import table
from tests.support.api import Client, function
from tests.support.integrations import put_off
from tests.support.issues import acme, connection, deliver, file, later, opening, repository, signal, workers
from tests.support.workers import LongContext, Workers

__all__ = ["acme", "connection", "opening", "repository", "workers"]


def look_again(workers: Workers) -> None:
    """Let the night come: every connection is looked at."""
    assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
    workers.run()


def problem(api: Client) -> str | None:
    """Return what the team reads about the issue repository."""
    said: str | None = api.get("/v1/integrations/issue-repo").body["problem"]
    return said


def status(api: Client) -> str:
    return str(api.get("/v1/integrations").body["integrations"][0]["status"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"archived": True}, "The repository acme/shop is archived, so no issue can be opened."),
        ({"has_issues": False}, "Issues of acme/shop are switched off at GitHub."),
        (
            {"full_name": "acme/gone"},
            "The repository acme/shop does not exist, or the GitHub App may not read it.",
        ),
    ],
)
def test_a_repository_that_takes_no_issue_is_a_problem_as_soon_as_it_is_set(
    api: Client, github: CodeHost, repository: Repository, workers: Workers, change: dict[str, Any], said: str
) -> None:
    before = {name: getattr(repository, name) for name in change}
    vars(repository).update(change)
    github.repositories = {repository.full_name: repository}
    assert api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"}).status == 200
    workers.run()
    assert (problem(api) or "").startswith(said)

    vars(repository).update(before)
    github.repositories = {repository.full_name: repository}
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    workers.run()
    assert problem(api) is None


@pytest.mark.usefixtures("opening")
def test_a_signal_that_is_filed_while_the_account_is_suspended_gets_one_issue_when_it_is_back(
    api: Client, repository: Repository, acme: Installation, workers: Workers
) -> None:
    acme.suspended = True
    filed = [file(api, f"Signal {number}") for number in range(3)]
    workers.run()
    assert status(api) == "broken"
    assert problem(api) == api.get("/v1/integrations").body["integrations"][0]["problem"]
    look_again(workers)
    acme.suspended = False
    for _ in range(2):
        look_again(workers)

    assert status(api) == "connected"
    assert problem(api) is None
    assert sorted(each["title"] for each in repository.issues.values()) == [
        "Signal 0",
        "Signal 1",
        "Signal 2",
    ]
    assert {signal(api, each)["codehost"]["number"] for each in filed} == {1, 2, 3}


def test_an_account_that_is_suspended_and_back_is_mended_though_nothing_is_set_for_it(
    api: Client, github: CodeHost, acme: Installation, workers: Workers
) -> None:
    acme.suspended = True
    deliver(hooks.installation(github, acme, "suspend"))
    workers.run()
    assert status(api) == "broken"
    acme.suspended = False  # and the hook is lost
    look_again(workers)

    assert status(api) == "connected"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (403, "Let the App write issues there, or unarchive the repository."),
        (404, "the App may not read it"),
        (410, "Issues are switched off there."),
        (400, "A reason of GitHub"),
    ],
)
def test_an_issue_that_github_refused_is_opened_with_the_next_look_and_the_team_reads_why(
    api: Client, repository: Repository, services: Services, workers: Workers, refused: int, said: str
) -> None:
    services.fail("POST", "/issues", said=Said(refused, {"message": "A reason of GitHub"}))
    filed = file(api)
    workers.run()
    assert signal(api, filed)["codehost"] is None
    assert said in (problem(api) or "")
    look_again(workers)
    look_again(workers)

    assert len(repository.issues) == 1
    assert signal(api, filed)["codehost"]["number"] == 1
    assert problem(api) is None


@pytest.mark.usefixtures("opening")
def test_where_github_refuses_one_issue_after_the_other_one_is_tried_a_night(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    services.fail("POST", "/issues", said=Said(410, {"message": "Issues are disabled"}), left=10)
    for number in range(3):
        file(api, f"Signal {number}")
    workers.run()
    services.asked.clear()
    look_again(workers)

    assert len(services.said_to("POST", "/issues")) == 1


@pytest.mark.usefixtures("opening")
def test_an_issue_whose_own_text_is_refused_is_not_tried_again(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    services.fail("POST", "/issues", said=Said(422, {"message": "Validation Failed"}))
    file(api)
    workers.run()
    look_again(workers)

    assert len(services.said_to("POST", "/issues")) == 1
    assert problem(api) == "GitHub refused an issue in acme/shop: Validation Failed"


@pytest.mark.usefixtures("opening")
def test_an_issue_that_waits_goes_to_the_repository_that_is_set_by_then(
    api: Client,
    repository: Repository,
    github: CodeHost,
    acme: Installation,
    services: Services,
    workers: Workers,
) -> None:
    services.fail("POST", "/issues", said=Said(410, {"message": "Issues are disabled"}))
    filed = file(api)
    workers.run()
    other = github.add(acme, "support")
    api.post("/v1/integrations/issue-repo", {"repo": "acme/support"})
    assert problem(api) is None
    look_again(workers)

    assert (len(repository.issues), len(other.issues)) == (0, 1)
    assert signal(api, filed)["codehost"]["url"] == "https://github.com/acme/support/issues/1"


@pytest.mark.usefixtures("opening")
def test_the_secondary_limit_without_a_header_puts_the_issue_off_for_a_minute(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    said = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
    services.fail("POST", "/issues", said=Said(403, said))
    filed = file(api)
    workers.run()
    assert repository.issues == {}
    assert problem(api) is None
    for message in put_off():
        assert 59_000 < message.delayed_until - now_us() / 1_000 <= 60_000
    with later(62):
        workers.run()

    assert signal(api, filed)["codehost"]["number"] == 1
    assert len(repository.issues) == 1
    # so that no look opens another one, should somebody delete this one
    assert [item for item in table.everything() if "#AWAITED#" in item["PK"]] == []


@pytest.mark.usefixtures("opening")
def test_an_issue_that_was_put_off_as_often_as_it_may_be_is_opened_by_the_next_look(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    said = {"message": "You have exceeded a secondary rate limit and have been temporarily blocked."}
    services.fail("POST", "/issues", said=Said(403, said))
    filed = file(api)
    workers.run()
    sqs_backends[DEFAULT_ACCOUNT_ID]["eu-west-1"].queues[
        "integration"
    ]._messages.clear()  # it is a dead letter
    for _ in range(2):
        look_again(workers)

    assert signal(api, filed)["codehost"]["number"] == 1
    assert len(repository.issues) == 1
    assert [item for item in table.everything() if "#AWAITED#" in item["PK"]] == []
