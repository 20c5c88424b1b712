"""Lists of documents with their filters."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import service
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.storage import collection
from helpdesk.storage.actor_name import ActorName
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.knowledge import add, jobs, work

AT = "/v1/knowledge/documents"


@pytest.fixture
def filled(api: Client, organization: NewOrganization) -> Callable[[str], list[str]]:
    """Fill a knowledge base with documents of each kind; return what lists their titles, over all pages of two."""
    folder = api.post("/v1/knowledge/folders", {"name": "Billing"}).body["id"]
    add(api, "Refunds of Orders", "text", folderId=folder)
    add(api, "Invoices", "How to have a bill paid.", folderId=folder)
    work()
    add(api, "Shipping orders", "text")
    for kind in (SourceKind.CRAWL, SourceKind.REPOSITORY, SourceKind.SUGGESTION):
        draft = service.Draft(f"A {kind} about ORDERS", "text", source=Source(kind))
        service.write(organization.organization_id, draft, ActorName("sync"))

    def listed(filters: str) -> list[str]:
        filters = filters.replace("FOLDER", folder)
        titles: list[str] = []
        cursor = ""
        while True:
            page = api.get(f"{AT}?limit=2&{filters}{cursor}").body
            assert len(page["documents"]) <= 2
            titles += [document["title"] for document in page["documents"]]
            if page["nextCursor"] is None:
                return titles
            cursor = f"&cursor={page['nextCursor']}"

    return listed


FILTERS = {
    "folderId=FOLDER": ["Invoices", "Refunds of Orders"],
    "folderId=none": [
        *("A suggestion about ORDERS", "A repository about ORDERS", "A crawl about ORDERS", "Shipping orders")
    ],
    "folderId=fold_1": [],
    "folderId=a%23b": [],
    "status=ready": ["Invoices", "Refunds of Orders"],
    "status=failed": [],
    "source=crawl": ["A crawl about ORDERS"],
    "source=written": ["Shipping orders", "Invoices", "Refunds of Orders"],
    "source=written&status=indexing": ["Shipping orders"],
    "q=order+refund": ["Refunds of Orders"],
    "q=ORDERS&folderId=FOLDER": ["Refunds of Orders"],
    "q=orders&source=suggestion&folderId=none": ["A suggestion about ORDERS"],
    "q=paid&status=ready": ["Invoices"],
    "q=paid&status=indexing": [],
    "q=zebra": [],
}


def test_filters_choose_documents(filled: Callable[[str], list[str]]) -> None:
    assert {filters: filled(filters) for filters in FILTERS} == FILTERS


def test_a_page_reads_a_bounded_number_of_documents_and_the_next_continues(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_FILTERED_AT_ONCE", 2)
    draft = service.Draft("Wanted", "text", source=Source(SourceKind.CRAWL))
    wanted = service.write(organization.organization_id, draft, ActorName("sync")).id
    for number in range(12):
        add(api, f"Doc {number}", "text")
    with recorded_calls() as calls:
        first: dict[str, Any] = api.get(f"{AT}?source=crawl").body
    assert calls == ["dynamodb:UpdateItem", *["dynamodb:Query"] * 4]
    assert first["documents"] == []
    rest = api.get(f"{AT}?source=crawl&cursor={first['nextCursor']}").body
    assert [document["id"] for document in rest["documents"]] == [wanted]
    assert rest["nextCursor"] is None


def test_a_search_lists_what_has_the_words_anywhere_then_what_is_not_indexed(
    api: Client, filled: Callable[[str], list[str]]
) -> None:
    add(api, "Keys", "# Keys\n\nRotate them.\n\n## Limits\n\nThe code is `ERR_KEY_OLD`.")
    add(api, "The code", "Of a door.")
    work()
    add(api, "Another code for keys", "text")

    assert filled("q=ERR_KEY_OLD+rotate") == ["Keys"]
    assert filled("q=code")[:2] == ["The code", "Keys"]
    assert filled("q=code")[2:] == ["Another code for keys"]
    assert filled("q=code&status=ready") == ["The code", "Keys"]
    assert filled("q=code&status=indexing") == ["Another code for keys"]


def test_a_search_reads_the_index_and_the_documents_that_it_found(api: Client) -> None:
    add(api, "Keys", "Rotate them.")
    work()
    api.get(f"{AT}?q=keys")

    with recorded_calls() as calls:
        api.get(f"{AT}?q=keys&limit=1")
    # Admission, deleted documents, the index; the documents, and who wrote them.
    index = ["dynamodb:UpdateItem", "dynamodb:Query", "s3:GetObject"]
    assert calls == [*index, "dynamodb:BatchGetItem", "dynamodb:BatchGetItem"]


def test_the_lists_of_two_organizations_are_apart(api: Client, stranger: Client) -> None:
    add(api, "Ours", "text")
    assert stranger.get(f"{AT}?folderId=none").body["documents"] == []
    assert stranger.get(f"{AT}?q=ours").body["documents"] == []
    assert len(jobs()) == 1
