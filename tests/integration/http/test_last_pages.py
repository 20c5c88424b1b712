"""Pages and cursors, in every list."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from scripts.openapi.routes import all_routes
from tests.support.api import Client
from tests.support.people import issue_token, make_person

# Lists that this module does not fill. Their rows come from workers, and they are read by the same queries.
_NOT_FILLED = {
    "/v1/approvals",
    "/v1/grants",
    "/v1/knowledge/crawls/<crawl_id>",
    "/v1/knowledge/suggestions",
    "/v1/site/searches",
    "/v1/tools",
    "/v1/webhooks/<endpoint_id>/deliveries",
}
# Its cursor is the place from which a client asks for what comes next.
_FEED = "/v1/events"


@pytest.fixture
def lists(api: Client, admin: Client, organization: NewOrganization) -> dict[str, list[str]]:
    """Fill lists with three rows each, and return the addresses of each list with its filters by route."""
    three = range(3)

    def create(path: str, body: Callable[[int], dict[str, Any]]) -> list[str]:
        answers = [admin.post(f"/v1/{path}", body(number)) for number in three]
        assert {answer.status for answer in answers} == {200}, (path, answers)
        return [str(answer.body.get("id")) for answer in answers]

    customer = create("customers", lambda n: {"name": f"Vera {n}"})[0]
    create(f"customers/{customer}/facts", lambda n: {"text": f"Fact {n}"})
    started = [
        api.post("/v1/messages", {"session": f"session-{n}", "body": "A human, please"}).body for n in three
    ]
    conversation = started[0]["conversationId"]
    create(f"conversations/{conversation}/note", lambda n: {"body": f"Note {n}"})
    post = create("board/posts", lambda n: {"title": f"Post {n}"})[0]
    create(f"board/posts/{post}/comments", lambda n: {"body": f"Comment {n}"})
    create("invites", lambda n: {"email": f"grace{n}@example.com", "role": "member"})
    create("keys", lambda n: {"name": f"Key {n}"})
    for number in three:
        make_person(organization.organization_id, role="member", name=f"Max {number}")
    create("knowledge/documents", lambda n: {"title": f"Document {n}", "body": "Text.", "published": True})
    create("knowledge/crawls", lambda n: {"url": f"https://docs{n}.example.com/"})
    signal = create("signals", lambda n: {"kind": "bug", "title": f"Bug {n}"})[0]
    create(f"signals/{signal}/reports", lambda n: {"who": f"Customer {n}"})
    create("replies", lambda n: {"title": f"Reply {n}", "body": "Thanks!"})
    tags = admin.request("PUT", f"/v1/conversations/{conversation}/tags", {"tags": ["a", "b", "c"]})
    assert tags.status == 200, tags
    create("tasks", lambda n: {"title": f"Card {n}"})
    create("tasks", lambda n: {"title": f"Request {n}", "status": "requests"})
    return {
        "/v1/board/posts": ["", "sort=newest", "sort=votes"],
        f"/v1/board/posts/{post}/comments": [""],
        "/v1/conversations": ["", "status=open", "assignee=none", "awaitingHuman=false", "snoozed=false"],
        f"/v1/conversations/{conversation}": [""],
        "/v1/customers": [""],
        f"/v1/customers/{customer}": [""],
        f"/v1/customers/{customer}/export": [""],
        "/v1/invites": [""],
        "/v1/keys": [""],
        "/v1/knowledge/crawls": [""],
        "/v1/knowledge/documents": ["", "status=indexing"],
        "/v1/logs": ["", "kind=key_created"],
        "/v1/members": [""],
        "/v1/replies": [""],
        "/v1/tags": [""],
        "/v1/signals": ["", "kind=bug", "status=open", "kind=bug&status=open&priority=medium"],
        f"/v1/signals/{signal}": [""],
        "/v1/site/articles": [""],
        "/v1/tasks": ["", "status=requests", "status=planned"],
        "/v1/tasks/requests": [""],
    }


def _rows(body: dict[str, Any]) -> int:
    """Return how many rows a page has: those of its longest list."""
    return max(len(part) for part in body.values() if isinstance(part, list))


def test_a_last_page_has_no_cursor_when_it_is_full(admin: Client, lists: dict[str, list[str]]) -> None:
    with_cursors, empty = {}, []
    for path, filters in lists.items():
        for chosen in filters:
            all_rows = _rows(admin.get(f"{path}?{chosen}&limit=50").body)
            full = admin.get(f"{path}?{chosen}&limit={all_rows}").body if all_rows else {"nextCursor": None}
            if full["nextCursor"] is not None:
                with_cursors[f"{path}?{chosen}"] = all_rows
            if all_rows < 2:
                empty.append(f"{path}?{chosen}")
    assert (with_cursors, empty) == ({}, [])


def test_pages_of_one_row_lead_through_the_whole_list(admin: Client, lists: dict[str, list[str]]) -> None:
    found, wanted = {}, {}
    for path, filters in lists.items():
        for chosen in filters:
            address = f"{path}?{chosen}&limit="
            wanted[address] = _rows(admin.get(f"{address}50").body)
            pages, cursor = 0, None
            while pages <= wanted[address]:
                page = admin.get(f"{address}1" + (f"&cursor={cursor}" if cursor else "")).body
                pages, cursor = pages + _rows(page), page["nextCursor"]
                if cursor is None:
                    break
            found[address] = pages
    assert found == wanted


# Other filters that change what a cursor is for.
_OTHER_FILTERS = (
    "/v1/customers?q=ada",
    "/v1/customers?q=None",
    "/v1/conversations?customerId=cus_1",
    "/v1/knowledge/documents?status=ready",
    "/v1/knowledge/documents?status=indexing&folderId=none",
    "/v1/knowledge/documents?status=indexing&q=doc",
    "/v1/logs?kind=key_created&from=1",
    "/v1/logs?kind=webhook_created",
)


def is_refused(client: Client, address: str, cursor: str) -> bool:
    answer = client.get(f"{address}&cursor={cursor}")
    return answer.status == 400 and answer.code == "invalid_cursor"


def test_a_cursor_is_refused_everywhere_but_in_the_list_that_it_came_from(
    admin: Client, other_organization: NewOrganization, lists: dict[str, list[str]]
) -> None:
    foreign_admin = Client(issue_token(other_organization.organization_id, role="admin", name="Otto"))
    addresses = [
        f"{path}?{chosen}"
        for path, filters in lists.items()
        for chosen in filters
        if chosen != "sort=newest"  # which is the order without it
    ]
    cursors = {address: admin.get(f"{address}&limit=1").body["nextCursor"] for address in addresses}
    cursors[_FEED] = admin.get(f"{_FEED}?limit=1").body["nextCursor"]
    accepted = [
        (source, address)
        for source, cursor in cursors.items()
        for address in (*addresses, *_OTHER_FILTERS)
        if address != source and not is_refused(admin, address, cursor)
    ]
    altered = [
        address
        for address in addresses
        for cursor in ("", "x", "%00", f"{cursors[address]}A", cursors[address][:-2])
        if not is_refused(admin, address, cursor)
    ]
    foreign = [
        address
        for address in addresses
        if "_" not in address.partition("?")[0]  # another organization doesn't find what an id names
        and not is_refused(foreign_admin, address, cursors[address])
    ]
    assert (accepted, altered, foreign) == ([], [], [])


@pytest.mark.parametrize("limit", ["0", "-1", "201", "x", "9" * 5_000])
def test_a_limit_that_is_no_number_from_1_to_200_is_refused(
    admin: Client, lists: dict[str, list[str]], limit: str
) -> None:
    answers = {path: admin.get(f"{path}?limit={limit}") for path in lists}
    assert {path: (each.status, each.code) for path, each in answers.items()} == dict.fromkeys(
        lists, (400, "invalid_request")
    )
    assert {path for path, each in answers.items() if "`limit` must be" not in each.message} == set()


def test_every_list_is_tested_here_or_named_as_one_that_is_not(lists: dict[str, list[str]]) -> None:
    paged = {
        route.path for route in all_routes() if "next_cursor" in getattr(route.answer, "model_fields", {})
    }
    filled = {"/".join("<id>" if "_" in part else part for part in path.split("/")) for path in lists}
    named = {path for path in paged if path not in _NOT_FILLED | {_FEED}}
    assert {"/".join("<id>" if "<" in part else part for part in path.split("/")) for path in named} == filled
