"""Issues that GitHub does not let us open as a signal is filed are opened once it does, and the team reads why."""

from typing import Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from helpdesk.platform.clock import now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.server import Said
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import put_off
from tests.support.issues import Issues, acme, connection, issues, later, opening, repository, workers

__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]


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
    issues: Issues, change: dict[str, Any], said: str
) -> None:
    before = {name: getattr(issues.repository, name) for name in change}
    vars(issues.repository).update(change)
    issues.github.repositories = {issues.repository.full_name: issues.repository}
    assert issues.api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"}).status == 200
    issues.run()
    assert (problem(issues.api) or "").startswith(said)

    vars(issues.repository).update(before)
    issues.github.repositories = {issues.repository.full_name: issues.repository}
    issues.api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    issues.run()
    assert problem(issues.api) is None


@pytest.mark.usefixtures("opening")
def test_a_signal_that_is_filed_while_the_account_is_suspended_gets_one_issue_when_it_is_back(
    issues: Issues,
) -> None:
    issues.acme.suspended = True
    filed = [issues.file(f"Signal {number}") for number in range(3)]
    issues.run()
    assert status(issues.api) == "broken"
    assert problem(issues.api) == issues.api.get("/v1/integrations").body["integrations"][0]["problem"]
    issues.look_again()
    issues.acme.suspended = False
    for _ in range(2):
        issues.look_again()

    assert status(issues.api) == "connected"
    assert problem(issues.api) is None
    assert sorted(each["title"] for each in issues.repository.issues.values()) == [
        "Signal 0",
        "Signal 1",
        "Signal 2",
    ]
    assert {issues.number(each) for each in filed} == {1, 2, 3}


def test_an_account_that_is_suspended_and_back_is_mended_though_nothing_is_set_for_it(issues: Issues) -> None:
    issues.acme.suspended = True
    issues.hear(hooks.installation(issues.github, issues.acme, "suspend"))
    assert status(issues.api) == "broken"
    issues.acme.suspended = False  # and the hook is lost
    issues.look_again()

    assert status(issues.api) == "connected"


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
    issues: Issues, refused: int, said: str
) -> None:
    issues.services.fail("POST", "/issues", said=Said(refused, {"message": "A reason of GitHub"}))
    filed = issues.filed()
    assert issues.signal(filed)["codehost"] is None
    assert said in (problem(issues.api) or "")
    issues.look_again()
    issues.look_again()

    assert len(issues.repository.issues) == 1
    assert issues.number(filed) == 1
    assert problem(issues.api) is None


@pytest.mark.usefixtures("opening")
def test_where_github_refuses_one_issue_after_the_other_one_is_tried_a_night(issues: Issues) -> None:
    issues.services.fail("POST", "/issues", said=Said(410, {"message": "Issues are disabled"}), left=10)
    for number in range(3):
        issues.file(f"Signal {number}")
    issues.run()
    issues.services.asked.clear()
    issues.look_again()

    assert len(issues.services.said_to("POST", "/issues")) == 1


@pytest.mark.usefixtures("opening")
def test_an_issue_whose_own_text_is_refused_is_not_tried_again(issues: Issues) -> None:
    issues.services.fail("POST", "/issues", said=Said(422, {"message": "Validation Failed"}))
    issues.filed()
    issues.look_again()

    assert len(issues.services.said_to("POST", "/issues")) == 1
    assert problem(issues.api) == "GitHub refused an issue in acme/shop: Validation Failed"


@pytest.mark.usefixtures("opening")
def test_an_issue_that_waits_goes_to_the_repository_that_is_set_by_then(issues: Issues) -> None:
    issues.services.fail("POST", "/issues", said=Said(410, {"message": "Issues are disabled"}))
    filed = issues.filed()
    other = issues.github.add(issues.acme, "support")
    issues.api.post("/v1/integrations/issue-repo", {"repo": "acme/support"})
    assert problem(issues.api) is None
    issues.look_again()

    assert (len(issues.repository.issues), len(other.issues)) == (0, 1)
    assert issues.signal(filed)["codehost"]["url"] == "https://github.com/acme/support/issues/1"


@pytest.mark.usefixtures("opening")
def test_the_secondary_limit_without_a_header_puts_the_issue_off_for_a_minute(issues: Issues) -> None:
    said = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
    issues.services.fail("POST", "/issues", said=Said(403, said))
    filed = issues.filed()
    assert issues.repository.issues == {}
    assert problem(issues.api) is None
    for message in put_off():
        assert 59_000 < message.delayed_until - now_us() / 1_000 <= 60_000
    with later(62):
        issues.run()

    assert issues.number(filed) == 1
    assert len(issues.repository.issues) == 1
    # so that no look opens another one, should somebody delete this one
    assert [item for item in table.everything() if "#AWAITED#" in item["PK"]] == []


@pytest.mark.usefixtures("opening")
def test_an_issue_that_was_put_off_as_often_as_it_may_be_is_opened_by_the_next_look(issues: Issues) -> None:
    said = {"message": "You have exceeded a secondary rate limit and have been temporarily blocked."}
    issues.services.fail("POST", "/issues", said=Said(403, said))
    filed = issues.filed()
    sqs_backends[DEFAULT_ACCOUNT_ID]["eu-west-1"].queues[
        "integration"
    ]._messages.clear()  # it is a dead letter
    for _ in range(2):
        issues.look_again()

    assert issues.number(filed) == 1
    assert len(issues.repository.issues) == 1
    assert [item for item in table.everything() if "#AWAITED#" in item["PK"]] == []
