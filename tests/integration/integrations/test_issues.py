"""Issues of signals: one for each, whatever repeats or fails, and moves in both directions that end."""

from typing import Any

import pytest

from helpdesk.platform.clock import frozen, now_us
from helpdesk.signals import issue_text
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import BOT
from scripts.services.server import Said
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import BASE_URL
from tests.support.issues import Issues, acme, connection, issues, later, opening, repository, workers

__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]


@pytest.mark.usefixtures("opening")
def test_a_filed_signal_opens_one_issue_with_quotes_and_without_names(issues: Issues) -> None:
    filed = issues.filed(body="It ends at row 1,000.", who="Vera Visitor", quote="Mine stops, too!")

    [issue] = issues.repository.issues.values()
    assert issue["title"] == "The export stops"
    assert issue["body"] == (
        "It ends at row 1,000.\n\n> Mine stops, too!\n\n"
        f"Reported by 1 customer. Helpdesk signal `{filed}`. {BASE_URL}/console/signals/{filed}"
    )
    assert issues.signal(filed)["codehost"] == {"number": 1, "url": "https://github.com/acme/shop/issues/1"}


@pytest.mark.usefixtures("opening")
def test_what_a_customer_said_mentions_nobody_at_github(issues: Issues) -> None:
    issues.filed(body="@acme/everyone, as in other/repo#1", who="Vera", quote="@torvalds\r# Ignore this")

    [issue] = issues.repository.issues.values()
    assert issue["body"].startswith(
        "@\u200bacme/everyone, as in other/repo#\u200b1\n\n> @\u200btorvalds\n> # Ignore this\n\nReported"
    )


@pytest.mark.usefixtures("opening")
def test_a_quote_that_has_no_room_in_an_issue_is_left_out(
    issues: Issues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issue_text, "MAX_CHARACTERS", 500)
    issues.filed(body="It ends at row 1,000.", who="Vera", quote="@a " * 150)

    [issue] = issues.repository.issues.values()
    assert issue["body"].startswith("It ends at row 1,000.\n\nReported by 1 customer.")


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("how", [{"hangs_up": True, "works": True}, {"said": Said(502), "works": True}])
def test_an_issue_whose_response_was_lost_is_found_and_not_opened_again(
    issues: Issues, how: dict[str, Any]
) -> None:
    issues.services.fail("POST", "/issues", **how)
    filed = issues.filed()
    assert issues.signal(filed)["codehost"] is None
    with later(400):
        issues.run()

    assert issues.number(filed) == 1
    assert len(issues.repository.issues) == 1
    assert len(issues.services.said_to("POST", "/issues")) == 1


@pytest.mark.usefixtures("opening")
def test_an_issue_that_did_not_reach_the_service_is_opened_later(issues: Issues) -> None:
    issues.services.fail("POST", "/issues", said=Said(429, headers={"retry-after": "1"}))
    filed = issues.filed()
    with later(2):
        issues.run()

    assert issues.number(filed) == 1
    assert len(issues.repository.issues) == 1


@pytest.mark.usefixtures("opening")
def test_a_job_that_comes_twice_opens_one_issue(issues: Issues) -> None:
    issues.filed()
    issues.workers._carried.clear()  # every record of the stream again
    issues.run()

    assert len(issues.repository.issues) == 1


@pytest.mark.usefixtures("opening")
def test_moves_of_a_signal_close_and_open_its_issue(issues: Issues) -> None:
    filed = issues.filed()
    for status, state, reason in (
        ("done", "closed", "completed"),
        ("open", "open", "completed"),
        ("declined", "closed", "not_planned"),
        ("in progress", "open", "not_planned"),
    ):
        issues.move(filed, status)
        assert issues.repository.issues[1]["state"] == state
        if state == "closed":
            assert issues.repository.issues[1]["state_reason"] == reason


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize(
    ("reason", "status"),
    [("completed", "done"), (None, "done"), ("not_planned", "declined"), ("duplicate", "declined")],
)
def test_an_issue_that_a_person_closes_moves_its_signal_and_one_opened_again_moves_it_back(
    issues: Issues, reason: str | None, status: str
) -> None:
    filed = issues.filed()
    issues.services.asked.clear()
    with later(2):
        issues.close(1, reason)
        assert issues.status(filed) == status
        issues.reopen(1)
        assert issues.status(filed) == "open"

    assert issues.services.said_to("PATCH", "/issues") == []  # what came from there does not go back


@pytest.mark.usefixtures("opening")
def test_the_card_of_a_signal_shows_its_issue(issues: Issues) -> None:
    filed = issues.filed()
    card = issues.api.post("/v1/tasks/adopt", {"signalId": filed}).body["id"]
    own = issues.api.post("/v1/tasks", {"title": "Own"}).body["id"]

    issue = {"number": 1, "url": "https://github.com/acme/shop/issues/1"}
    shown = {one["id"]: one["codehost"] for one in issues.api.get("/v1/tasks").body["tasks"]}
    assert shown == {card: issue, own: None}
    assert issues.api.get(f"/v1/tasks/{card}").body["task"]["codehost"] == issue


@pytest.mark.usefixtures("opening")
def test_an_issue_that_is_closed_as_not_planned_takes_its_signals_card_away(issues: Issues) -> None:
    filed = issues.filed()
    card = issues.api.post("/v1/tasks/adopt", {"signalId": filed}).body["id"]
    issues.run()

    with later(2):
        issues.close(1, "not_planned")

    assert issues.status(filed) == "declined"
    assert issues.api.get(f"/v1/tasks/{card}").code == "task_not_found"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("first", ["the signal's job", "the hook"])
def test_a_persons_later_move_wins_and_the_issue_follows_it(issues: Issues, first: str) -> None:
    filed = issues.filed()
    issues.repository.change_issue(1, {"state": "closed", "state_reason": "completed"}, now_us() / 1_000_000)
    sent = issues.sent(hooks.issue, 1, "closed")
    with later(2):
        issues.api.patch(f"/v1/signals/{filed}", {"status": "planned"})
        if first == "the signal's job":
            issues.run()
        issues.hear(sent)

    assert issues.status(filed) == "planned"
    assert issues.repository.issues[1]["state"] == "open"


@pytest.mark.usefixtures("opening")
def test_an_issue_that_is_opened_again_in_the_second_in_which_it_was_closed_stays_open(
    issues: Issues,
) -> None:
    filed = issues.filed()
    second = (now_us() // 1_000_000 + 2) * 1_000_000
    with frozen(lambda: second + 300_000):
        issues.github.clock = lambda: second / 1_000_000
        issues.move(filed, "done")
        assert issues.repository.issues[1]["state"] == "closed"
        issues.repository.change_issue(1, {"state": "open", "state_reason": "reopened"}, second / 1_000_000)
        issues.hear(issues.sent(hooks.issue, 1, "reopened"))

    assert issues.status(filed) == "open"
    assert issues.repository.issues[1]["state"] == "open"


@pytest.mark.usefixtures("opening")
def test_a_hook_of_our_own_move_and_one_that_comes_late_move_nothing(issues: Issues) -> None:
    filed = issues.filed()
    with later(2):
        issues.change(1, state="closed", state_reason="completed")
        closed = issues.sent(hooks.issue, 1, "closed")
        issues.run()
        issues.move(filed, "open")
        issues.services.asked.clear()
        issues.hear(issues.sent(hooks.issue, 1, "reopened", sender=BOT))
        assert issues.services.asked == []
        issues.hear(closed)

    assert [str(each) for each in issues.services.asked] == ["GET api.github.com/repos/acme/shop/issues/1"]
    assert (issues.status(filed), issues.repository.issues[1]["state"]) == ("open", "open")


def test_without_the_switch_no_issue_is_opened(issues: Issues) -> None:
    issues.api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    filed = issues.filed()
    issues.api.post("/v1/integrations/issue-repo", {"autoCreate": True})
    issues.api.patch(f"/v1/signals/{filed}", {"status": "planned"})  # filed before the switch
    issues.run()

    assert issues.repository.issues == {}
    assert issues.api.get("/v1/integrations/issue-repo").body == {
        "repo": "acme/shop",
        "autoCreate": True,
        "problem": None,
    }


def test_what_cannot_be_set_is_refused(api: Client, member: Client, stranger: Client) -> None:
    assert api.post("/v1/integrations/issue-repo", {"autoCreate": True}).code == "issue_repo_missing"
    assert api.post("/v1/integrations/issue-repo", {}).code == "issue_repo_missing"
    assert api.post("/v1/integrations/issue-repo", {"repo": "other/shop"}).code == "codehost_not_connected"
    assert api.post("/v1/integrations/issue-repo", {"repo": "shop"}).code == "repo_name_invalid"
    assert (
        stranger.post("/v1/integrations/issue-repo", {"repo": "acme/shop"}).code == "codehost_not_connected"
    )
    assert member.post("/v1/integrations/issue-repo", {"repo": "acme/shop"}).code == "forbidden"
    assert member.get("/v1/integrations/issue-repo").body == {
        "repo": None,
        "autoCreate": False,
        "problem": None,
    }


@pytest.mark.usefixtures("opening")
def test_a_revoked_token_breaks_the_connection_and_the_job_ends(issues: Issues) -> None:
    issues.github.installations.clear()
    issues.filed()

    assert issues.api.get("/v1/integrations").body["integrations"][0]["status"] == "broken"
    assert "ghs_" not in str(table.of_kind("LOG"))
