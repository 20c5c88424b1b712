"""The knowledge routes."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge.folders import Folder
from helpdesk.platform import clients, clock
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.table import of_entities

BUCKET = "helpdesk-knowledge"
DOCUMENT = {"title": "Invoices", "body": "# Invoices\n\nThey are under Account."}


def stored(prefix: str) -> list[str]:
    return [
        entry["Key"]
        for entry in clients.s3().list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
    ]


def outbox_jobs() -> list[dict[str, Any]]:
    return [job for item in of_entities("outbox") for job in item["jobs"]]


def test_a_new_document_is_indexing_and_has_its_text(api: Client) -> None:
    with clock.frozen(lambda: 1_700_000_000_123_000):
        created = api.post("/v1/knowledge/documents", {"title": "  Invoices ", "body": DOCUMENT["body"]})
    assert created.status == 200
    document_id = created.body["id"]
    assert document_id.startswith("doc_")
    answer = api.get(f"/v1/knowledge/documents/{document_id}")
    assert answer.status == 200
    assert answer.body["document"]["createdBy"].startswith("key_")
    assert answer.body == {
        "document": {
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
            "url": None,
            "version": 1,
            "size": 35,
            "digest": "1369e60c641b68521ad439a8fc2169a14218f886b1adf51d9961d7b6fca0c24f",
            "createdAt": 1_700_000_000_123,
            "updatedAt": 1_700_000_000_123,
            "indexedAt": None,
            "createdBy": answer.body["document"]["createdBy"],
            "createdByName": "First key",
            "updatedBy": None,
            "updatedByName": None,
            "published": False,
            "slug": "invoices",
            "aliases": [],
            "body": "# Invoices\n\nThey are under Account.",
        }
    }


def test_a_document_creates_one_index_job(api: Client, organization: NewOrganization) -> None:
    document_id = api.post("/v1/knowledge/documents", DOCUMENT).body["id"]
    (job,) = outbox_jobs()
    assert job["queue"] == "knowledge"
    assert "group" not in job  # so that it's the organization
    assert job["body"] == {
        "organization": organization.organization_id,
        "documentId": document_id,
        "version": 1,
    }


def test_the_text_is_stored_under_the_organization(api: Client, organization: NewOrganization) -> None:
    document_id = api.post("/v1/knowledge/documents", DOCUMENT).body["id"]
    (key,) = stored("")
    assert key.startswith(f"{organization.organization_id}/documents/{document_id}/")


def test_a_list_has_the_newest_documents_first_without_bodies(api: Client) -> None:
    made = [
        api.post("/v1/knowledge/documents", {"title": f"Doc {n}", "body": "x"}).body["id"] for n in range(3)
    ]
    listed = api.get("/v1/knowledge/documents").body
    assert [document["id"] for document in listed["documents"]] == made[::-1]
    assert listed["nextCursor"] is None
    assert "body" not in listed["documents"][0]


def test_a_title_is_one_line_without_hidden_characters(api: Client) -> None:
    created = api.post("/v1/knowledge/documents", {"title": "In\u202evoices\r\nand \x00more", "body": "x"})

    read = api.get(f"/v1/knowledge/documents/{created.body['id']}").body["document"]
    assert read["title"] == "Invoices and more"


def test_the_limit_of_a_text_counts_bytes(api: Client) -> None:
    document_id = api.post("/v1/knowledge/documents", {"title": "x", "body": "ä" * 450_000}).body["id"]
    assert api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["size"] == 900_000
    assert api.post("/v1/knowledge/documents", {"title": "x", "body": "ä" * 450_001}).code == "body_too_large"


@pytest.mark.parametrize("folder", ["fold_01", "a#b", ""])
def test_an_unknown_folder_is_refused_and_stores_nothing(api: Client, folder: str) -> None:
    answer = api.post("/v1/knowledge/documents", {**DOCUMENT, "folderId": folder})
    assert (answer.status, answer.code) == (404, "knowledge_folder_not_found")
    assert stored("") == []


def test_a_document_goes_into_a_folder_that_exists(api: Client, organization: NewOrganization) -> None:
    table.put_new({**Folder.key_for(organization.organization_id, "fold_1").attributes(), "id": "fold_1"})
    document_id = api.post("/v1/knowledge/documents", {**DOCUMENT, "folderId": "fold_1"}).body["id"]
    assert api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["folderId"] == "fold_1"


def test_a_failed_store_of_the_text_leaves_no_record(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "SlowDown", "Message": ""}}, "PutObject")

    monkeypatch.setattr(clients.s3(), "put_object", fail)
    assert api.post("/v1/knowledge/documents", DOCUMENT).code == "internal_error"
    assert api.get("/v1/knowledge/documents").body["documents"] == []
    assert outbox_jobs() == []
