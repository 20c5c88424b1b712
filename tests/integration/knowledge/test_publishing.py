"""Publishing documents and folders: what is shown, and under which address."""

from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import page_repository as pages
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.folders import Tree
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.knowledge import add

AT = "/v1/knowledge/documents"


def document(api: Client, document_id: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{AT}/{document_id}").body["document"]
    return found


def page(organization: NewOrganization, slug: str) -> DocumentPage | None:
    return pages.at(organization.organization_id, slug)


def test_a_document_is_not_published_until_someone_says_so(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds & returns", "Send it back.")

    assert (document(api, document_id)["published"], document(api, document_id)["slug"]) == (
        False,
        "refunds-returns",
    )
    api.patch(f"{AT}/{document_id}", {"published": True})

    assert document(api, document_id)["published"] is True
    shown = page(organization, "refunds-returns")
    assert shown is not None
    assert (shown.published, shown.title) == (True, "Refunds & returns")


def test_documents_of_one_title_get_slugs_of_their_own(api: Client) -> None:
    slugs = [document(api, add(api, "Index", "Text"))["slug"] for _ in range(4)]

    assert slugs[:2] == ["index", "index-2"]
    assert len(set(slugs)) == 4
    assert all(slug.startswith("index-") for slug in slugs[1:])


def test_documents_that_are_added_at_once_get_slugs_of_their_own(api: Client) -> None:
    interleaved([lambda: add(api, "Index", "Text")] * 4, seed=1)

    listed = api.get(AT).body["documents"]
    assert len({each["slug"] for each in listed}) == 4


def test_a_chosen_slug_that_another_document_has_is_refused(api: Client) -> None:
    add(api, "First", "Text", slug="start")
    refused = api.post(AT, {"title": "Second", "body": "Text", "slug": "start"})

    assert (refused.status, refused.code) == (400, "slug_taken")
    other = add(api, "Third", "Text")
    changed = api.patch(f"{AT}/{other}", {"slug": "start"})
    assert (changed.status, changed.code) == (400, "slug_taken")
    assert document(api, other)["slug"] == "third"


def test_a_slug_in_another_form_is_refused(api: Client) -> None:
    refused = api.post(AT, {"title": "Title", "body": "Text", "slug": "a b"})

    assert (refused.status, refused.code) == (400, "invalid_slug")


def test_a_former_slug_leads_to_the_new_one_and_can_be_taken_back(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Text", published=True)
    api.patch(f"{AT}/{document_id}", {"slug": "money-back"})

    former = page(organization, "refunds")
    assert former is not None
    assert (former.moved_to, former.title) == ("money-back", "")
    taken = api.post(AT, {"title": "Other", "body": "Text", "slug": "refunds"})
    assert taken.code == "slug_taken"
    api.patch(f"{AT}/{document_id}", {"slug": "refunds"})
    back, there = page(organization, "refunds"), page(organization, "money-back")
    assert back is not None
    assert there is not None
    assert (back.moved_to, back.published, there.moved_to) == (None, True, "refunds")


def test_a_page_keeps_its_counts_under_another_address(api: Client, organization: NewOrganization) -> None:
    document_id = add(api, "Refunds", "Text")
    key = DocumentPage.key_for(organization.organization_id, "refunds")
    names = {"#reads": "reads", "#helpful": "helpful"}
    table.update(key, "ADD #reads :n, #helpful :n", names=names, values={":n": 8})

    api.patch(f"{AT}/{document_id}", {"slug": "money-back", "title": "Money back"})

    moved = page(organization, "money-back")
    assert moved is not None
    assert (moved.title, moved.reads, moved.helpful, moved.unhelpful) == ("Money back", 8, 8, 0)


def test_an_address_of_a_deleted_document_says_so_and_is_free(
    api: Client, organization: NewOrganization
) -> None:
    api.delete(f"{AT}/{add(api, 'Refunds', 'Text', published=True)}")

    gone = page(organization, "refunds")
    assert gone is not None
    assert (gone.is_gone, gone.published, gone.title, gone.text_key) == (True, True, "", "")
    second = add(api, "Refunds", "New text")
    assert document(api, second)["slug"] == "refunds"
    new = page(organization, "refunds")
    assert new is not None
    assert (new.is_gone, new.published, new.document_id) == (False, False, second)


def test_a_page_follows_title_text_folder_and_publishing(api: Client, organization: NewOrganization) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Help"}).body["id"]
    document_id = add(api, "Refunds", "Text")
    before = page(organization, "refunds")
    assert before is not None

    api.patch(
        f"{AT}/{document_id}", {"title": "Refund", "body": "New", "folderId": folder, "published": True}
    )

    after = page(organization, "refunds")
    assert after is not None
    assert (after.title, after.folder_id, after.published) == ("Refund", folder, True)
    assert after.text_key != before.text_key


def test_a_synced_document_can_be_published_and_not_be_edited(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Text")
    key = Document.key_for(organization.organization_id, document_id)
    source = {"kind": "crawl", "url": "https://example.com", "repo": None, "path": None, "syncedAt": 1}
    table.update(key, "SET #source = :source", names={"#source": "source"}, values={":source": source})

    assert api.patch(f"{AT}/{document_id}", {"published": True, "slug": "back"}).status == 200
    assert api.patch(f"{AT}/{document_id}", {"title": "New"}).code == "doc_is_synced"


def test_two_changes_at_once_lose_neither_publishing_nor_title(api: Client) -> None:
    document_id = add(api, "Refunds", "Text")

    interleaved(
        [
            lambda: api.patch(f"{AT}/{document_id}", {"published": True}),
            lambda: api.patch(f"{AT}/{document_id}", {"title": "Money back"}),
            lambda: api.patch(f"{AT}/{document_id}", {"slug": "back"}),
        ],
        seed=1,
    )

    found = document(api, document_id)
    assert (found["published"], found["title"], found["slug"]) == (True, "Money back", "back")


def test_publishing_a_folder_is_one_transaction_however_many_documents_it_has(
    api: Client, organization: NewOrganization
) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Help"}).body["id"]
    inner = api.post("/v1/knowledge/folders", {"name": "Inner", "parentId": folder}).body["id"]
    for number in range(3):
        add(api, f"Text {number}", "Text", folderId=inner)
    with recorded_calls() as calls:
        api.patch(f"/v1/knowledge/folders/{folder}", {"published": True})

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:TransactWriteItems"]
    item = table.get(Tree.key_for(organization.organization_id))
    assert item is not None
    tree = Tree.from_item(item)
    assert (tree.shows(folder), tree.shows(inner), tree.shows(None)) == (True, True, False)
    listed = {each["name"]: each["published"] for each in api.get("/v1/knowledge/folders").body["folders"]}
    assert listed == {"Help": True, "Inner": False}


def test_a_folder_stops_being_published_and_so_does_what_leaves_it(
    api: Client, organization: NewOrganization
) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Help", "published": True}).body["id"]
    inner = api.post("/v1/knowledge/folders", {"name": "Inner", "parentId": folder}).body["id"]

    def shows(folder_id: str) -> bool:
        item = table.get(Tree.key_for(organization.organization_id))
        assert item is not None
        return Tree.from_item(item).shows(folder_id)

    assert shows(inner)
    api.patch(f"/v1/knowledge/folders/{inner}", {"parentId": None})
    assert not shows(inner)
    api.patch(f"/v1/knowledge/folders/{inner}", {"parentId": folder})
    api.patch(f"/v1/knowledge/folders/{folder}", {"published": False})
    assert not shows(inner)
    api.patch(f"/v1/knowledge/folders/{folder}", {"published": True})
    api.delete(f"/v1/knowledge/folders/{folder}")
    assert not shows(folder)
    assert not shows(inner)
