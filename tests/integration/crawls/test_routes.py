"""The routes of crawls: the happy way, every error, other organizations."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge.crawls import service
from helpdesk.platform.units import DAY_MS
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.website import SITE, Crawling, Website, documents_of, html, outcomes_of

type Crawl = Callable[..., str]

CRAWLS = "/v1/knowledge/crawls"


def post(api: Client, url: str = SITE, **settings: object) -> Answer:
    return api.post(CRAWLS, {"url": url, **settings})


def test_a_crawl_is_returned_with_its_settings(api: Client, world: Crawling) -> None:
    crawl_id = post(
        api,
        f"{SITE}/docs/?utm_source=x#top",
        include=["/docs/*"],
        exclude=["*/old/*"],
        maxPages=7,
        refresh="weekly",
    ).body["id"]

    crawl = api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]
    assert crawl == {
        "id": crawl_id,
        "url": f"{SITE}/docs/",
        "include": ["/docs/*"],
        "exclude": ["*/old/*"],
        "maxPages": 7,
        "folderId": None,
        "refresh": "weekly",
        "status": "running",
        "problem": None,
        "counts": {
            "found": 0, "pending": 0, "created": 0, "updated": 0,
            "unchanged": 0, "removed": 0, "skipped": 0, "failed": 0,
        },
        "limitReached": False,
        "startedAt": world.now,
        "finishedAt": None,
        "nextRunAt": None,
        "createdAt": world.now,
        "createdBy": crawl["createdBy"],
        "createdByName": crawl["createdByName"],
    }  # fmt: skip


def test_crawls_are_listed_newest_first_in_pages(api: Client, world: Crawling) -> None:
    made: list[str] = []
    for number in range(3):
        made.insert(0, post(api, f"{SITE}/{number}").body["id"])
        world.now += 1

    first = api.get(f"{CRAWLS}?limit=2").body
    second = api.get(f"{CRAWLS}?limit=2&cursor={first['nextCursor']}").body

    assert [each["id"] for each in first["crawls"] + second["crawls"]] == made
    assert second["nextCursor"] is None
    assert api.get(f"{CRAWLS}?cursor=x").code == "invalid_cursor"


def test_addresses_come_in_pages(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html("<p>a</p>" + "".join(f"<a href=/{number}>x</a>" for number in range(9)))}
    crawl_id = crawl()

    first = api.get(f"{CRAWLS}/{crawl_id}?limit=4").body
    again = api.get(f"{CRAWLS}/{crawl_id}?limit=200&cursor={first['nextCursor']}").body

    listed = [each["url"] for each in first["addresses"] + again["addresses"]]
    assert listed == [f"{SITE}/", *(f"{SITE}/{number}" for number in range(9))]
    assert again["addresses"][-1] == {
        "url": f"{SITE}/8", "outcome": "not_found", "detail": "status 404", "documentId": None,
        "at": again["addresses"][-1]["at"],
    }  # fmt: skip
    assert api.get(f"{CRAWLS}/{crawl_id}?cursor=x").code == "invalid_cursor"


def test_outcomes_are_kept_for_seven_days(api: Client, site: Website, world: Crawling, crawl: Crawl) -> None:
    site.pages = {"/": html("<p>a</p>")}
    crawl_id = crawl()

    world.now += 7 * DAY_MS

    assert outcomes_of(api, crawl_id) == {}
    assert api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]["counts"]["created"] == 1


@for_each(
    ("url", "words"),
    [
        ("", "https://"),
        ("fern.example.com", "starts with https://"),
        ("http://fern.example.com", "https:// instead"),
        ("https://10.0.0.1/", "public internet"),
        ("https://fern.example.com/" + "a/" * 30, "path segments"),
    ],
)
def test_a_start_that_is_no_public_page_is_a_bad_url(url: str, words: str, api: Client) -> None:
    answer = api.post(CRAWLS, {"url": url})

    assert (answer.status, answer.code) == (400, "bad_url")
    assert words in answer.message


def test_a_name_that_leads_to_a_private_address_is_a_bad_url(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helpdesk.outbound.addresses.resolve", lambda _: ["10.0.0.7"])

    assert post(api).code == "bad_url"


@for_each(
    ("field", "value", "words"),
    [
        ("include", ["docs/*"], "start with /"),
        ("include", [""], "1 to 200"),
        ("exclude", ["/" + "a" * 200], "1 to 200"),
    ],
)
def test_an_invalid_field_is_named(field: str, value: object, words: str, api: Client) -> None:
    answer = api.post(CRAWLS, {"url": SITE, field: value})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert words in answer.message


def test_the_lowest_plan_has_no_crawls(
    make_organization: Callable[..., NewOrganization], world: Crawling
) -> None:
    api = Client(make_organization(Plan.EXPLORE, api_limits=False).secret_key)

    assert (post(api).status, post(api).code) == (400, "upgrade_required")


def test_a_folder_must_exist(api: Client, stranger: Client) -> None:
    theirs = stranger.post("/v1/knowledge/folders", {"name": "Theirs"}).body["id"]

    for folder in ("fold_nothing", theirs):
        assert post(api, folderId=folder).code == "knowledge_folder_not_found"
    assert api.get(CRAWLS).body["crawls"] == []


def test_three_crawls_run_at_once(api: Client, stranger: Client, world: Crawling) -> None:
    for number in range(3):
        assert post(api, f"{SITE}/{number}").status == 200

    refused = post(api, f"{SITE}/3")
    assert (refused.status, refused.code) == (400, "too_many_crawls")
    assert post(stranger).status == 200
    world.run()
    assert post(api, f"{SITE}/3").status == 200


def test_a_start_is_crawled_once_at_a_time(
    api: Client, stranger: Client, site: Website, world: Crawling
) -> None:
    crawl_id = post(api).body["id"]

    for again in (post(api), post(api, f"{SITE}/?utm_source=x"), api.post(f"{CRAWLS}/{crawl_id}/run")):
        assert (again.status, again.code) == (409, "crawl_running")
    assert post(stranger).status == 200
    world.run()
    assert post(api, refresh="daily").body["id"] == crawl_id
    assert api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]["refresh"] == "daily"


def test_running_again_needs_a_paid_plan_and_a_free_place(
    api: Client, world: Crawling, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl_id = post(api).body["id"]
    world.run()
    for number in range(3):
        post(api, f"{SITE}/{number}")

    assert api.post(f"{CRAWLS}/{crawl_id}/run").code == "too_many_crawls"
    monkeypatch.setattr("helpdesk.accounts.organizations.service.plan_of", lambda _: Plan.EXPLORE)
    assert api.post(f"{CRAWLS}/{crawl_id}/run").code == "upgrade_required"


def test_deleting_a_crawl_keeps_its_documents_which_can_then_be_edited(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html("<h1>A</h1><p>Text.</p>")}
    crawl_id = crawl()
    [document] = api.get("/v1/knowledge/documents").body["documents"]
    address = f"/v1/knowledge/documents/{document['id']}"
    assert api.patch(address, {"body": "Mine."}).code == "doc_is_synced"

    assert api.delete(f"{CRAWLS}/{crawl_id}").body == {"ok": True}
    world.run()

    assert api.get(f"{CRAWLS}/{crawl_id}").status == 404
    assert api.get(address).body["document"]["source"]["kind"] == "written"
    assert api.patch(address, {"body": "Mine."}).status == 200


def test_deleting_a_crawl_can_delete_its_documents(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html("<p>a</p><a href=/b>b</a>"), "/b": html("<p>b</p>")}
    crawl_id = crawl()
    mine = api.post("/v1/knowledge/documents", {"title": "Mine", "body": "Text."}).body["id"]

    api.delete(f"{CRAWLS}/{crawl_id}?documents=delete")
    world.run()

    assert [each["id"] for each in api.get("/v1/knowledge/documents").body["documents"]] == [mine]
    assert post(api).body["id"] != crawl_id


def test_a_start_is_free_once_the_deleted_crawl_is_removed(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html("<p>a</p>")}
    crawl_id = crawl()
    api.delete(f"{CRAWLS}/{crawl_id}")

    refused = post(api)
    assert (refused.code, "still being removed" in refused.message) == ("crawl_running", True)
    world.run()
    assert post(api).status == 200


def test_a_running_crawl_can_be_deleted(api: Client, site: Website, world: Crawling) -> None:
    site.pages = {"/": html("<p>a</p><a href=/b>b</a>"), "/b": html("<p>b</p>")}
    for number in range(3):
        post(api, f"{SITE}/{number}")
    crawl_id = api.get(CRAWLS).body["crawls"][0]["id"]

    assert api.delete(f"{CRAWLS}/{crawl_id}?documents=delete").status == 200
    assert post(api, f"{SITE}/other").status == 200
    world.run()

    assert len(api.get(CRAWLS).body["crawls"]) == 3


@pytest.mark.parametrize(("refresh", "days"), [("daily", 1), ("weekly", 7)])
def test_a_crawl_runs_by_itself(
    refresh: str, days: int, api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html("<p>first</p>")}
    begun = world.now
    crawl_id = crawl(refresh=refresh)
    assert api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]["nextRunAt"] == begun + days * DAY_MS
    site.pages = {"/": html("<p>second</p>")}

    assert service.start_due(world.now + 60_000) == 0
    world.now = begun + days * DAY_MS
    assert service.start_due(world.now + 60_000) == 1
    assert service.start_due(world.now + 60_000) == 0
    world.run()

    assert outcomes_of(api, crawl_id) == {"/": "updated"}
    assert api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]["nextRunAt"] > begun + days * DAY_MS


def test_a_crawl_that_never_refreshes_runs_once(site: Website, world: Crawling, crawl: Crawl) -> None:
    site.pages = {"/": html("<p>first</p>")}
    crawl(refresh="never")

    world.now += 400 * DAY_MS

    assert service.start_due(world.now + 60_000) == 0


def test_a_run_whose_message_was_lost_goes_on(api: Client, site: Website, world: Crawling) -> None:
    site.pages = {"/": html("<p>a</p>")}
    crawl_id = post(api).body["id"]
    world.take_jobs()
    world._waiting.clear()

    world.now += 46 * 60_000
    assert service.start_due(world.now + 60_000) == 1
    world.run()

    assert api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]["status"] == "finished"
    assert len(documents_of(api)) == 1


def test_a_run_that_no_worker_survives_is_given_up(api: Client, world: Crawling) -> None:
    crawl_id = post(api).body["id"]

    for _ in range(service.MAX_STALLS + 1):
        world.take_jobs()
        world._waiting.clear()
        world.now += 46 * 60_000
        service.start_due(world.now + 60_000)

    crawl = api.get(f"{CRAWLS}/{crawl_id}").body["crawl"]
    assert (crawl["status"], crawl["problem"]) == (
        "failed",
        "The crawl stopped again and again. Run it again.",
    )
    assert post(api).status == 200


DYNAMODB = {
    "get": "dynamodb:GetItem",
    "update": "dynamodb:UpdateItem",
    "write": "dynamodb:TransactWriteItems",
}


def test_a_crawl_of_a_host_that_is_looked_up_takes_a_place_among_the_waits(
    api: Client, world: Crawling
) -> None:
    get, update, write = DYNAMODB.values()
    with recorded_calls() as calls:
        post(api)

    assert calls == [update, *[update] * 4, get, get, write]


def test_the_calls_of_a_slice_and_of_each_page(api: Client, site: Website, world: Crawling) -> None:
    get, update, write = DYNAMODB.values()
    site.pages = {"/": html("<h1>A</h1><p>a</p>")}
    post(api)
    with recorded_calls() as calls:
        world.run()

    begun = [
        update,
        "dynamodb:Query",
        "dynamodb:Query",
        get,
        get,
    ]  # claim, addresses, pages, plan, robots.txt
    seeded = [update, write, write, write, write]  # pace; robots.txt kept; lists, start; done
    lists = [update, write] * 2
    page = [update, get, "s3:PutObject", write]
    ended = [write]
    assert [call for call in calls if call != "dynamodb:Scan"] == begun + seeded + lists + page + ended
