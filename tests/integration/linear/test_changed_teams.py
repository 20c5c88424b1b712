"""Teams and states that people rename, delete or add at Linear, while nobody has listed them since."""

import pytest

from scripts.services.tracker import Workspace
from scripts.services.workspaces import Team
from tests.integration.linear.conftest import Issues, look_again
from tests.support.api import Client
from tests.support.integrations import later
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("opening")
PATH = "/v1/integrations/tracker"


@pytest.fixture
def eng(acme: Workspace) -> Team:
    """The team that is set."""
    return next(iter(acme.teams.values()))


def replaced(team: Team, name: str, by: str) -> None:
    """Delete a state and make another one of its type, as a person does."""
    gone = team.states.pop(name)
    team.states[by] = {**gone, "id": f"state-{by}", "name": by}


def test_a_team_and_a_state_keep_what_an_admin_chose_when_they_are_renamed(
    admin: Client, eng: Team, workers: Workers
) -> None:
    admin.patch(PATH, {"states": {"done": "Duplicate"}})
    eng.key, eng.states["Duplicate"]["name"] = "CORE", "Shipped"
    look_again(workers)

    shown = admin.get(PATH).body
    assert (shown["team"], shown["states"]["done"], shown["problem"]) == ("CORE", "Shipped", None)


def test_a_team_that_is_gone_is_a_problem_until_another_one_is_named(
    issues: Issues, admin: Client, eng: Team
) -> None:
    issues.acme.team("OPS", "Operations")
    del issues.acme.teams[eng.id]
    issues.look_again()

    assert admin.get(PATH).body["problem"] == (
        "The app no longer has access to the team ENG in Linear. Name another team, or give the app access."
    )
    assert admin.patch(PATH, {"team": "OPS"}).body["problem"] is None


def test_a_signal_that_moves_to_a_deleted_state_takes_its_issue_to_the_one_that_is_there(
    issues: Issues, eng: Team
) -> None:
    filed = issues.filed()
    replaced(eng, "Done", "Shipped")
    with later(61):
        issues.move(filed, "done")

    assert issues.state() == "Shipped"
    assert issues.problem() is None


def test_an_issue_is_opened_in_the_state_that_took_the_place_of_a_deleted_one(
    issues: Issues, admin: Client, eng: Team
) -> None:
    admin.patch(PATH, {"autoCreate": False})
    filed = issues.file()
    issues.api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    replaced(eng, "Todo", "Next")
    with later(61):
        issues.api.post(f"/v1/signals/{filed}/tracker", {})
        issues.run()

    assert issues.signal(filed)["tracker"]["identifier"] == "ENG-1"
    assert issues.state() == "Next"


def test_a_deleted_state_without_another_of_its_kind_is_a_problem_in_linears_words(
    issues: Issues, eng: Team
) -> None:
    filed = [issues.file(), issues.file("Exports end early")]
    issues.run()
    del eng.states["Done"]
    issues.services.asked.clear()
    with later(61):
        for each in filed:
            issues.api.patch(f"/v1/signals/{each}", {"status": "done"})
        issues.run()

    assert (issues.state(), issues.state("ENG-2")) == ("Backlog", "Backlog")
    shown = issues.api.get(PATH).body
    assert (shown["problem"], shown["states"]["done"]) == ("Could not find referenced WorkflowState.", None)
    assert sum(b"query Teams" in each.body for each in issues.services.asked) == 1


def test_a_team_that_nobody_listed_is_listed_before_a_state_of_its_counts(issues: Issues) -> None:
    filed = issues.filed()
    issues.hear(issues.linear.transfer(issues.acme, "ENG-1", issues.acme.team("OPS", "Operations")))
    issues.moved("OPS-1", "In Review")  # and the hook is lost
    with later(61):
        issues.move(filed, "in progress")

    assert (issues.status(filed), issues.state("OPS-1")) == ("in progress", "In Progress")


def test_an_issue_in_a_team_that_nobody_listed_follows_its_signal(issues: Issues) -> None:
    filed = issues.filed()
    issues.hear(issues.linear.transfer(issues.acme, "ENG-1", issues.acme.team("OPS", "Operations")))
    with later(61):
        issues.move(filed, "done")

    assert issues.state("OPS-1") == "Done"
