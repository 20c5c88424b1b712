"""What a browser wrote before somebody signed in there becomes theirs, and nobody else's."""

from functools import partial
from typing import Any

import pytest

from helpdesk.conversations.messages import visitors
from helpdesk.customers import merging as customer_merging
from helpdesk.customers.merging import MergeJob
from helpdesk.platform import clock
from helpdesk.platform.clock import frozen, now_us
from helpdesk.platform.digest import sha256_hex
from helpdesk.privacy import merging
from helpdesk.privacy.erasing import Outcome
from tests.support import effort, signals
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.interleaving import interleaved
from tests.support.lagging import lagging_reads
from tests.support.site_browser import SiteBrowser
from tests.support.table import everything, of_kind
from tests.support.workers import Workers

type Mails = list[tuple[str, str, str]]
OTHERS = ("agent", "search", "signal", "integration", "suggestion")
"""The queues whose work is not looked at here."""


@pytest.fixture(autouse=True)
def _board(api: Client, root: str) -> None:
    assert api.patch("/v1/site", {"showBoard": True}).status == 200


def team_post(api: Client) -> str:
    """Add a post of the team; return its path on the site."""
    created = api.post("/v1/board/posts", {"title": "Dark mode", "body": "At night."})
    return f"/board/{created.body['number']}"


def conversation_id(api: Client) -> str:
    [conversation] = api.get("/v1/conversations").body["conversations"]
    return str(conversation["id"])


def vote(browser: SiteBrowser, post: str) -> None:
    browser.open(post)
    browser.press("/vote")


def signed_in(browser: SiteBrowser, mails: Mails, email: str = "ada@example.com") -> SiteBrowser:
    browser.open("/sign-in")
    browser.press(email=email)
    browser.press("/code", code=mails[-1][1])
    return browser


def customers(api: Client) -> list[dict[str, Any]]:
    return list(api.get("/v1/customers").body["customers"])


def everything_of(browser: SiteBrowser, api: Client) -> str:
    """Let a browser write, vote, comment and suggest, and the team note something; return the customer's id."""
    post = team_post(api)
    browser.open("/contact")
    browser.press("/contact", body="My parcel is lost", name="Visitor V")
    vote(browser, post)
    browser.press("/comments", body="Please")
    browser.open("/board/new")
    browser.press("/board/new", title="Light mode", body="At noon.")
    [customer] = customers(api)
    assert api.post(f"/v1/customers/{customer['id']}/facts", {"text": "Likes tea"}).status == 200
    signal = signals.filed(api)
    signals.report(api, signal, conversationId=conversation_id(api))
    return str(customer["id"])


def require_all_of(browser: SiteBrowser, api: Client, before: str) -> None:
    """Require that everything belongs to the one customer there is, and is counted once."""
    [customer] = customers(api)
    assert (customer["id"] != before, customer["email"]) == (True, "ada@example.com")
    facts = api.get(f"/v1/customers/{customer['id']}").body["facts"]
    assert [fact["text"] for fact in facts] == ["Likes tea"]
    found = api.get(f"/v1/conversations/{conversation_id(api)}").body["conversation"]
    assert found["customer"]["id"] == customer["id"]
    listed = api.get(f"/v1/conversations?customerId={customer['id']}").body["conversations"]
    assert [each["id"] for each in listed] == [conversation_id(api)]
    browser.open("/contact")
    assert "My parcel is lost" in browser.page.words()
    assert browser.open(f"/contact/{conversation_id(api)}").status == 200
    browser.open("/board/1")
    assert browser.page.words(".vote-count") == "1 vote"
    assert "Take back my vote" in browser.page.words()
    posts = api.get("/v1/board/posts").body["posts"]
    counts = {post["title"]: (post["votes"], post["verifiedVotes"]) for post in posts}
    assert counts == {"Dark mode": (1, 1), "Light mode": (0, 0)}
    assert [each["customerId"] for each in of_kind("COMMENT")] == [customer["id"]]
    assert before not in repr([*of_kind("REPORTER#"), *of_kind("POST"), *of_kind("CONV"), *of_kind("VOTE#")])


def test_what_a_browser_wrote_is_the_customers_after_signing_in_and_its_old_cookie_opens_nothing(
    browser: SiteBrowser, api: Client, mails: Mails
) -> None:
    before = everything_of(browser, api)
    old = dict(browser.cookies)

    signed_in(browser, mails)
    Workers(*OTHERS).run()

    require_all_of(browser, api, before)
    other_device = signed_in(SiteBrowser(browser.root), mails)
    require_all_of(other_device, api, before)
    thief = SiteBrowser(browser.root, cookies=old)
    assert "My parcel is lost" not in thief.open("/contact").words()
    assert thief.open(f"/contact/{conversation_id(api)}").status == 404
    thief.open("/contact")
    thief.press("/contact", body="It is me")
    assert len(customers(api)) == 2
    assert "It is me" not in browser.open("/contact").words()


def test_a_conversations_page_waits_for_what_moves_after_a_sign_in(
    browser: SiteBrowser, api: Client, mails: Mails
) -> None:
    browser.open("/contact")
    browser.press("/contact", body="My parcel is lost")
    path = f"/contact/{conversation_id(api)}"
    signed_in(browser, mails)

    page = browser.open(path)
    assert (page.status, page.headers["refresh"]) == (404, "2")
    assert page.words("h1") == "One moment"
    later = now_us() + 31_000_000
    with frozen(lambda: later):
        page = browser.open(path)
        assert (page.words("h1"), "refresh" in page.headers) == ("Page not found", False)
    Workers(*OTHERS).run()
    assert browser.open(path).status == 200


def test_two_votes_of_one_person_become_one(browser: SiteBrowser, api: Client, mails: Mails) -> None:
    post = team_post(api)
    vote(signed_in(SiteBrowser(browser.root), mails), post)
    vote(browser, post)
    assert browser.page.words(".vote-count") == "2 votes"

    signed_in(browser, mails)
    Workers(*OTHERS).run()

    assert browser.open(post).words(".vote-count") == "1 vote"
    assert len(customers(api)) == 1


def test_who_signs_in_after_another_gets_nothing_of_theirs(
    browser: SiteBrowser, api: Client, mails: Mails
) -> None:
    signed_in(browser, mails)
    browser.open("/contact")
    browser.press("/contact", body="My parcel is lost")

    csrf = str(browser.page.one("form.account [name=csrf]").attributes["value"])
    browser.send("/sign-in", {"csrf": csrf, "email": "bob@example.com"})
    browser.press("/code", code=mails[-1][1])
    Workers(*OTHERS).run()

    assert "My parcel is lost" not in browser.open("/contact").words()
    assert len(customers(api)) == 2


def test_after_signing_in_a_message_goes_to_the_newest_open_conversation_of_both(
    browser: SiteBrowser, api: Client, mails: Mails
) -> None:
    other_device = signed_in(SiteBrowser(browser.root), mails)
    for each, body in ((other_device, "My parcel is lost"), (browser, "My parcel is torn")):
        each.open("/contact")
        each.press("/contact", body=body)
    [newest, _] = sorted(each["id"] for each in of_kind("CONV") if "subject" in each)[::-1]
    signed_in(browser, mails)
    Workers(*OTHERS).run()

    browser.open(f"/contact/{newest}")
    browser.press(f"/contact/{newest}", body="Is anybody there?")

    thread = api.get(f"/v1/conversations/{newest}").body["messages"]
    assert [entry["body"] for entry in thread] == ["My parcel is torn", "Is anybody there?"]


def test_a_browser_that_wrote_nothing_brings_nothing_along(browser: SiteBrowser, mails: Mails) -> None:
    signed_in(browser, mails)

    assert [each for each in of_kind("JOB") if "anonymousId" in repr(each)] == []


def test_an_erasure_of_either_customer_wins(
    browser: SiteBrowser, api: Client, admin: Client, mails: Mails
) -> None:
    browser.open("/contact")
    browser.press("/contact", body="My parcel is lost")
    [anonymous] = customers(api)
    signed_in(browser, mails)
    assert admin.delete(f"/v1/customers/{anonymous['id']}").status == 200

    Workers(*OTHERS).run()

    assert of_kind("CONV") == []
    assert [each["email"] for each in customers(api)] == ["ada@example.com"]


def merge_job(browser: SiteBrowser, api: Client, mails: Mails) -> MergeJob:
    """Sign in where somebody wrote; return the job that the sign-in leaves."""
    session, [before] = sha256_hex(next(iter(browser.cookies.values()))), customers(api)
    signed_in(browser, mails)
    [after] = [each["id"] for each in customers(api) if each["id"] != before["id"]]
    organization = api.get("/v1/organization").body["id"]
    return MergeJob(organization, before["id"], session, after)


def merge(job: MergeJob) -> Outcome:
    return merging.merge(job, clock.now_ms() + 60_000)


@pytest.mark.parametrize("added", ["fact", "conversation", "report"])
def test_what_is_added_until_the_anonymous_customer_is_gone_moves_too(
    browser: SiteBrowser, api: Client, mails: Mails, monkeypatch: pytest.MonkeyPatch, added: str
) -> None:
    everything_of(browser, api)
    api.post(f"/v1/conversations/{conversation_id(api)}/resolve")
    other = signals.filed(api, title="The import stops")
    job = merge_job(browser, api, mails)
    team = {
        "fact": partial(api.post, f"/v1/customers/{job.anonymous_id}/facts", {"text": "Likes milk"}),
        "conversation": partial(api.post, f"/v1/customers/{job.anonymous_id}/messages", {"body": "Hello"}),
        "report": partial(api.post, f"/v1/signals/{other}/reports", {"customerId": job.anonymous_id}),
    }
    answers: list[int] = []
    finish = customer_merging.finish

    def finish_late(*given: Any) -> bool:
        if not answers:
            answers.append(team[added]().status)
        return finish(*given)

    monkeypatch.setattr(customer_merging, "finish", finish_late)

    assert merge(job) is Outcome.FINISHED

    assert answers == [200]
    assert [each["id"] for each in customers(api)] == [job.customer_id]
    left = [item["SK"] for item in everything() if item.get("customerId") == job.anonymous_id]
    assert left == []
    assert of_partition(f"#CUS#{job.anonymous_id}") == []


def of_partition(end: str) -> list[str]:
    """Return the sort keys of the items in the partition whose key ends so."""
    return [item["SK"] for item in everything() if str(item["PK"]).endswith(end)]


def test_a_run_that_dies_after_the_anonymous_customer_is_gone_is_finished_by_the_next(
    browser: SiteBrowser, api: Client, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything_of(browser, api)
    job = merge_job(browser, api, mails)
    finish = customer_merging.finish

    def finish_and_die(*given: Any) -> bool:
        assert api.post(f"/v1/customers/{job.anonymous_id}/facts", {"text": "Likes milk"}).status == 200
        finish(*given)
        raise Died

    monkeypatch.setattr(customer_merging, "finish", finish_and_die)
    with pytest.raises(Died):
        merge(job)

    merge(job)

    facts = api.get(f"/v1/customers/{job.customer_id}").body["facts"]
    assert sorted(fact["text"] for fact in facts) == ["Likes milk", "Likes tea"]


def test_from_the_mark_of_an_erasure_on_nothing_moves(
    browser: SiteBrowser, api: Client, admin: Client, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything_of(browser, api)
    job = merge_job(browser, api, mails)
    close = visitors.close_session

    def close_and_erase(*given: Any) -> None:
        close(*given)
        admin.delete(f"/v1/customers/{job.anonymous_id}")

    monkeypatch.setattr(visitors, "close_session", close_and_erase)

    merge(job)

    assert [each["customerId"] for each in of_kind("COMMENT")] == [job.anonymous_id]
    assert api.get(f"/v1/customers/{job.customer_id}").body["facts"] == []
    assert [each["customerId"] for each in of_kind("REPORTER#")] == [job.anonymous_id]


@pytest.mark.parametrize("seed", range(effort.of(5, 60)))
def test_the_team_can_open_a_conversation_again_while_it_moves(
    browser: SiteBrowser, api: Client, mails: Mails, seed: int
) -> None:
    browser.open("/contact")
    browser.press("/contact", body="My parcel is lost")
    conversation = conversation_id(api)
    api.post(f"/v1/conversations/{conversation}/resolve")
    job = merge_job(browser, api, mails)

    def move() -> bool:
        return merge(job) is Outcome.FINISHED

    def reopen() -> bool:
        return api.post(f"/v1/conversations/{conversation}/reopen").status == 200

    assert interleaved([move, reopen], seed).all() == [True, True]
    found = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    assert (found["customer"]["id"], found["status"]) == (job.customer_id, "open")


def test_who_has_just_signed_in_for_the_first_time_gets_it(
    browser: SiteBrowser, api: Client, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything_of(browser, api)

    with lagging_reads(monkeypatch):
        job = merge_job(browser, api, mails)
        assert merge(job) is Outcome.FINISHED

    require_all_of(browser, api, before)


def test_a_move_that_stops_anywhere_is_finished_by_the_next_run(api: Client, root: str, mails: Mails) -> None:
    browser = SiteBrowser(root)
    before = everything_of(browser, api)
    job = merge_job(browser, api, mails)

    at, done = 0, False
    while not done:
        try:
            with dying(at):
                merge(job)
            done = True
        except Died:
            at += effort.of(5, 1)

    assert at > 20
    require_all_of(browser, api, before)
