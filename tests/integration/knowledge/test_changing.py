"""Changing and deleting documents, and what the agent finds meanwhile."""

from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index, repository, service
from helpdesk.knowledge.documents import DeletedDocument, Document, Source
from helpdesk.knowledge.errors import DocumentChanged
from helpdesk.knowledge.folders import Folder
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.platform import clients, clock
from helpdesk.storage.actor_name import ActorName
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.knowledge import add, item_of, jobs, passages, read, texts, work

OTHER = {"title": "Shipping", "body": "Parcels arrive within three days."}


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


@pytest.fixture
def crawled(organization: NewOrganization) -> str:
    source = Source(SourceKind.CRAWL, url="https://example.com/prices", synced_at=1_700_000_000_000)
    draft = service.Draft("Prices", "Ten euros.", url="https://example.com/prices", source=source)
    return service.write(organization.organization_id, draft, ActorName("crawl")).id


def at(document_id: str) -> str:
    return f"/v1/knowledge/documents/{document_id}"


def test_a_change_overwrites_what_is_sent_and_counts_a_version(member: Client) -> None:
    with clock.frozen(lambda: 1_700_000_000_000_000):
        document_id = add(member, "Invoices", "Under Account.", url="https://example.com/a")
    with clock.frozen(lambda: 1_700_000_060_000_000):
        changed = member.patch(at(document_id), {"body": "Under Billing."})
    expected = {
        "id": document_id,
        "title": "Invoices",
        "folderId": None,
        "status": "indexing",
        "problem": None,
        "source": {
            "kind": "written",
            "url": None,
            "repo": None,
            "path": None,
            "version": None,
            "syncedAt": None,
        },
        "url": "https://example.com/a",
        "version": 2,
        "size": 14,
        "digest": "fe642eae92e86624bfaff670fca217bce1ed3db6dd7031bd9685163c586ed3ae",
        "createdAt": 1_700_000_000_000,
        "updatedAt": 1_700_000_060_000,
        "indexedAt": None,
        **dict.fromkeys(("createdBy", "updatedBy"), member.get("/v1/me").body["user"]["id"]),
        "createdByName": "Max Member",
        "updatedByName": "Max Member",
        "published": False,
        "slug": "invoices",
        "aliases": [],
    }
    assert (changed.status, changed.body) == (200, {"document": expected})
    assert read(member, document_id) == {**expected, "body": "Under Billing."}


def test_the_old_text_answers_until_the_new_one_is_indexed(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Refunds take fourteen days.")
    work()
    api.patch(at(document_id), {"body": "Refunds take thirty days."})
    assert passages(organization.organization_id, "refunds") == [(document_id, "Refunds take fourteen days.")]
    assert read(api, document_id)["status"] == "indexing"
    work()
    assert passages(organization.organization_id, "refunds") == [(document_id, "Refunds take thirty days.")]
    assert read(api, document_id)["status"] == "ready"


def test_the_old_text_answers_while_the_new_one_cannot_be_indexed(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Refunds take fourteen days.")
    work()
    before = read(api, document_id)["indexedAt"]
    api.patch(at(document_id), {"body": "Refunds take thirty days."})
    clients.s3().delete_object(
        Bucket="helpdesk-knowledge", Key=item_of_document(organization, document_id)["textKey"]
    )
    work()
    item = item_of_document(organization, document_id)
    assert (item["status"], item["indexedAt"]) == ("failed", before)
    assert passages(organization.organization_id, "refunds") == [(document_id, "Refunds take fourteen days.")]


def test_a_text_that_could_not_be_indexed_is_indexed_when_it_is_sent_again(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Refunds take fourteen days.")
    clients.s3().delete_object(Bucket="helpdesk-knowledge", Key=texts()[0])
    work()
    assert item_of_document(organization, document_id)["status"] == "failed"
    sent = api.patch(at(document_id), {"body": "Refunds take fourteen days."}).body["document"]
    assert (sent["version"], sent["status"], sent["problem"]) == (2, "indexing", None)
    work()
    assert read(api, document_id)["status"] == "ready"


def test_the_old_text_is_deleted_once_the_new_one_is_indexed(api: Client) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    api.patch(at(document_id), {"body": "Thirty days."})
    assert len(texts()) == 2
    work()
    assert len(texts()) == 1
    assert read(api, document_id)["body"] == "Thirty days."


def test_a_document_is_read_although_its_text_is_replaced_meanwhile(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    now = repository.documents.get
    seen = [now(organization.organization_id, document_id)]
    api.patch(at(document_id), {"body": "Thirty days."})
    work()

    with monkeypatch.context() as racing:
        racing.setattr(repository.documents, "get", lambda *key: seen.pop() if seen else now(*key))
        assert read(api, document_id)["body"] == "Thirty days."
    assert seen == []


def test_a_deleted_document_stops_answering_at_once(api: Client, organization: NewOrganization) -> None:
    document_id, other = add(api, "Refunds", "Refunds by card."), add(api, "Cards", "Any card.")
    work()
    assert api.delete(at(document_id)).body == {"ok": True}
    assert passages(organization.organization_id, "card") == [(other, "Any card.")]
    assert api.get(at(document_id)).code == "knowledge_doc_not_found"
    assert [each["id"] for each in api.get("/v1/knowledge/documents").body["documents"]] == [other]


def test_a_document_that_is_deleted_while_it_is_indexed_does_not_answer(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id, _ = add(api, "Refunds", "Refunds by card."), add(api, "Cards", "Any card.")
    with monkeypatch.context() as racing:
        racing.setattr("helpdesk.knowledge.repository.set_ready", lambda _: api.delete(at(document_id)))
        work(*jobs())
    assert document_id not in [found for found, _ in passages(organization.organization_id, "refunds")]


def test_a_removed_document_leaves_neither_text_nor_index_entry_nor_marker(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Refunds by card.")
    work()
    api.delete(at(document_id))
    marker = DeletedDocument.key_for(organization.organization_id, document_id)
    assert item_of(marker)["id"] == document_id
    work()
    assert item_of(marker) == {}
    assert texts() == []
    assert passages(organization.organization_id, "card") == []
    assert index.index_of(organization.organization_id).reader is None


def test_the_marker_of_a_deleted_document_stays_while_the_index_cannot_be_written(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = add(api, "Refunds", "Refunds by card.")
    work()
    api.delete(at(document_id))
    with monkeypatch.context() as broken:
        broken.setattr("helpdesk.knowledge.indexing.write", lambda *_: 1 / 0)
        assert work(jobs()[-1])["batchItemFailures"] != []
    assert passages(organization.organization_id, "card") == []
    assert len(texts()) == 1
    work(jobs()[-1])
    assert texts() == []


def test_a_change_with_the_version_that_was_read_succeeds_and_another_is_refused(api: Client) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    assert api.patch(at(document_id), {"title": "Paying back", "version": 1}).status == 200
    refused = api.patch(at(document_id), {"body": "Thirty days.", "version": 1})
    assert (refused.status, refused.code) == (409, "doc_changed")
    document = read(api, document_id)
    assert (document["title"], document["body"], document["version"]) == ("Paying back", "Fourteen days.", 2)
    assert len(texts()) == 1


def test_the_service_deletes_only_the_version_it_is_given(api: Client, organization: NewOrganization) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    with pytest.raises(DocumentChanged):
        service.delete(organization.organization_id, document_id, version=2)
    service.delete(organization.organization_id, document_id, version=1)
    assert api.get(at(document_id)).status == 404


def test_an_action_that_is_added_to_a_write_fails_with_it(api: Client, organization: NewOrganization) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")

    def refuse(transaction: Any) -> None:
        key = Folder.key_for(organization.organization_id, "fold_none")
        transaction.require(key, "attribute_exists(PK)", on_failure=lambda _: DocumentChanged())

    change = service.Change(body="Thirty days.")
    with pytest.raises(DocumentChanged):
        service.change(
            organization.organization_id, document_id, change, ActorName("Ada"), extra_writes=refuse
        )
    with pytest.raises(DocumentChanged):
        service.delete(organization.organization_id, document_id, extra_writes=refuse)
    with pytest.raises(DocumentChanged):
        service.write(
            organization.organization_id, service.Draft("A", "B"), ActorName("Ada"), extra_writes=refuse
        )
    assert read(api, document_id)["body"] == "Fourteen days."
    assert len(texts()) == 1


@pytest.mark.parametrize("sent", [{}, {"title": " Refunds "}, {"body": "Fourteen days."}, {"url": None}])
def test_a_change_that_changes_nothing_writes_nothing(api: Client, sent: dict[str, Any]) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    with recorded_calls() as calls:
        changed = api.patch(at(document_id), sent)
    assert changed.body["document"]["version"] == 1
    assert changed.body["document"]["updatedByName"] is None
    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:BatchGetItem"]


def test_a_new_title_or_page_is_indexed_without_a_new_text(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    work()
    changed = api.patch(at(document_id), {"title": "Chargebacks", "url": "https://example.com/b"}).body[
        "document"
    ]
    assert (changed["version"], changed["status"]) == (2, "indexing")
    work()
    assert passages(organization.organization_id, "chargebacks") == [(document_id, "Fourteen days.")]
    assert len(texts()) == 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"title": " "}, "title_missing"),
        ({"body": ""}, "body_missing"),
        ({"url": "javascript:alert(1)"}, "bad_url"),
        ({"url": "https://user:secret@example.com/"}, "bad_url"),
        ({"url": "https://"}, "bad_url"),
        ({"url": "https://example.com/a b"}, "bad_url"),
        ({"url": "https://example.com:http/"}, "bad_url"),
        ({"folderId": "fold_1"}, "knowledge_folder_not_found"),
        ({"folderId": "a#b"}, "knowledge_folder_not_found"),
    ],
)
def test_a_refused_change_changes_nothing(api: Client, sent: Any, code: str) -> None:
    document_id = add(api, "Refunds", "Fourteen days.")
    before, stored = read(api, document_id), texts()
    assert api.patch(at(document_id), sent).code == code
    assert (read(api, document_id), texts(), len(jobs())) == (before, stored, 1)


def test_a_synced_document_takes_only_another_folder(api: Client, crawled: str) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Site"}).body["id"]
    for sent in ({"title": "Mine"}, {"body": "Free."}, {"url": None}, {"title": "Mine", "folderId": folder}):
        refused = api.patch(at(crawled), sent)
        assert (refused.status, refused.code) == (400, "doc_is_synced")
    moved = api.patch(at(crawled), {"folderId": folder}).body["document"]
    assert (moved["folderId"], moved["version"], moved["source"]["kind"]) == (folder, 1, "crawl")
    assert api.delete(at(crawled)).status == 200


def test_a_sync_changes_its_document_and_notes_when(
    api: Client, organization: NewOrganization, crawled: str
) -> None:
    source = Source(SourceKind.CRAWL, url="https://example.com/prices", synced_at=1_700_000_060_000)
    same = service.Change(body="Ten euros.", source=source)
    before = read(api, crawled)
    service.change(organization.organization_id, crawled, same, ActorName("crawl"))
    unchanged = read(api, crawled)
    assert unchanged == {**before, "source": {**before["source"], "syncedAt": 1_700_000_060_000}}
    other = service.Change(body="Twelve euros.", source=source)
    assert service.change(organization.organization_id, crawled, other, ActorName("crawl")).version == 2


def test_a_removal_takes_seven_calls(api: Client) -> None:
    document_id, _ = add(api, "Refunds", "Fourteen days."), add(api, **OTHER)
    work()
    api.delete(at(document_id))
    removal = jobs()[-1]
    with recorded_calls() as calls:
        work(removal)
    assert calls == [
        "dynamodb:BatchGetItem",
        "s3:GetObject",  # the manifest, to see which indexes there are
        "s3:GetObject",  # the manifest, unchanged
        "s3:PutObject",  # the bundle
        "s3:PutObject",  # the manifest
        "dynamodb:BatchWriteItem",
        "s3:DeleteObjects",  # the text, and what was made of it
    ]


def test_a_document_sent_twice_with_a_key_is_written_once(api: Client) -> None:
    key = {"Idempotency-Key": "once"}
    first = api.post("/v1/knowledge/documents", OTHER, **key).body["id"]
    assert api.post("/v1/knowledge/documents", OTHER, **key).body["id"] == first
    assert len(texts()) == 1


def item_of_document(organization: NewOrganization, document_id: str) -> dict[str, Any]:
    return item_of(Document.key_for(organization.organization_id, document_id))
