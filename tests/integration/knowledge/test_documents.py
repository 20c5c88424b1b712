"""The knowledge routes."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge.folders import Folder
from helpdesk.platform import clients, clock
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.aws import recorded_calls

BUCKET = "helpdesk-knowledge"
DOCUMENT = {"title": "Invoices", "body": "# Invoices\n\nThey are under Account."}


def stored(prefix: str) -> list[str]:
    return [
        entry["Key"]
        for entry in clients.s3().list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
    ]


def outbox_jobs() -> list[dict[str, Any]]:
    items = clients.dynamodb().scan(TableName="helpdesk-test")["Items"]
    found = [table.from_wire(item) for item in items]
    return [job for item in found if item.get("entity") == "outbox" for job in item["jobs"]]


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
            "body": "# Invoices\n\nThey are under Account.",
        }
    }


def test_a_document_creates_one_index_job(api: Client, organization: NewOrganization) -> None:
    document_id = api.post("/v1/knowledge/documents", DOCUMENT).body["id"]
    (job,) = outbox_jobs()
    assert job["queue"] == "knowledge"
    assert job["group"] == organization.organization_id
    assert job["body"] == {
        "organization": organization.organization_id,
        "documentId": document_id,
        "version": 1,
        "deleted": False,
        "obsoleteTexts": [],
    }
    assert job["deduplication"].startswith(document_id)


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


def test_a_list_continues_after_its_cursor(api: Client, stranger: Client) -> None:
    for n in range(3):
        api.post("/v1/knowledge/documents", {"title": f"Doc {n}", "body": "x"})
    first = api.get("/v1/knowledge/documents?limit=2").body
    cursor = first["nextCursor"]
    rest = api.get(f"/v1/knowledge/documents?limit=2&cursor={cursor}").body
    assert [document["title"] for document in first["documents"] + rest["documents"]] == [
        "Doc 2",
        "Doc 1",
        "Doc 0",
    ]
    assert rest["nextCursor"] is None
    assert stranger.get(f"/v1/knowledge/documents?cursor={cursor}").code == "invalid_cursor"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"body": "x"}, "title_missing"),
        ({"title": None, "body": "x"}, "title_missing"),
        ({"title": " \ufeff ", "body": "x"}, "title_missing"),
        ({}, "title_missing"),
        ({"title": "x"}, "body_missing"),
        ({"title": "x", "body": None}, "body_missing"),
        ({"title": "x", "body": " \n\t "}, "body_missing"),
        ({"title": "x", "body": "a" * 900_001}, "body_too_large"),
        ({"title": "x", "body": "ä" * 450_001}, "body_too_large"),
        ({"title": "x" * 121, "body": "x"}, "body_too_large"),
        ({"title": "\u200b\u3164", "body": "x"}, "title_missing"),
        ({"title": "x", "body": "\u200b\ufe0f\n"}, "body_missing"),
        ({"title": "x", "body": "\u200b\ufeff \u2060"}, "body_missing"),
        ({"title": "\u200b\u202e", "body": "x"}, "title_missing"),
        ({"title": 1, "body": "x"}, "invalid_request"),
        ({"title": "x", "body": ["x"]}, "invalid_request"),
        ({"title": "x", "body": "x", "folderId": 7}, "invalid_request"),
        ([], "invalid_json"),
        ("{", "invalid_json"),
    ],
)
def test_a_refused_document_stores_nothing(api: Client, body: Any, code: str) -> None:
    answer = api.post("/v1/knowledge/documents", body if isinstance(body, str) else json.dumps(body))
    assert (answer.status, answer.code) == (400, code)
    assert stored("") == []
    assert outbox_jobs() == []


def test_the_error_for_a_long_title_names_the_title_and_its_limit(api: Client) -> None:
    answer = api.post("/v1/knowledge/documents", {"title": "x" * 121, "body": "x"})

    assert (answer.status, answer.code) == (400, "body_too_large")
    assert answer.message == "`title` must be at most 120 characters."


def test_a_title_is_one_line_without_hidden_characters(api: Client) -> None:
    created = api.post("/v1/knowledge/documents", {"title": "In\u202evoices\r\nand \x00more", "body": "x"})

    read = api.get(f"/v1/knowledge/documents/{created.body['id']}").body["document"]
    assert read["title"] == "Invoices and more"


@pytest.mark.parametrize("body", ["a" * 900_000, "ä" * 450_000])
def test_a_text_of_exactly_the_limit_in_bytes_is_accepted(api: Client, body: str) -> None:
    document_id = api.post("/v1/knowledge/documents", {"title": "x" * 120, "body": body}).body["id"]
    assert api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["size"] == 900_000


@pytest.mark.parametrize("folder", ["fold_01", "a#b", ""])
def test_an_unknown_folder_is_refused_and_stores_nothing(api: Client, folder: str) -> None:
    answer = api.post("/v1/knowledge/documents", {**DOCUMENT, "folderId": folder})
    assert (answer.status, answer.code) == (404, "knowledge_folder_not_found")
    assert stored("") == []


def test_a_folder_of_another_organization_is_unknown(
    api: Client, other_organization: NewOrganization
) -> None:
    table.put_new(
        {**Folder.key_for(other_organization.organization_id, "fold_1").attributes(), "id": "fold_1"}
    )
    assert (
        api.post("/v1/knowledge/documents", {**DOCUMENT, "folderId": "fold_1"}).code
        == "knowledge_folder_not_found"
    )


def test_a_document_goes_into_a_folder_that_exists(api: Client, organization: NewOrganization) -> None:
    table.put_new({**Folder.key_for(organization.organization_id, "fold_1").attributes(), "id": "fold_1"})
    document_id = api.post("/v1/knowledge/documents", {**DOCUMENT, "folderId": "fold_1"}).body["id"]
    assert api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["folderId"] == "fold_1"


def test_a_member_may_read_and_write(member: Client) -> None:
    document_id = member.post("/v1/knowledge/documents", DOCUMENT).body["id"]
    assert member.get(f"/v1/knowledge/documents/{document_id}").status == 200
    assert member.get("/v1/knowledge/documents").status == 200


def test_a_failed_store_of_the_text_leaves_no_record(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "SlowDown", "Message": ""}}, "PutObject")

    monkeypatch.setattr(clients.s3(), "put_object", fail)
    assert api.post("/v1/knowledge/documents", DOCUMENT).code == "internal_error"
    assert api.get("/v1/knowledge/documents").body["documents"] == []
    assert outbox_jobs() == []


def test_the_calls_of_each_route_are_few(api: Client) -> None:
    api.get("/v1/knowledge/documents")
    with recorded_calls() as creating:
        document_id = api.post("/v1/knowledge/documents", DOCUMENT).body["id"]
    with recorded_calls() as listing:
        api.get("/v1/knowledge/documents")
    with recorded_calls() as reading:
        api.get(f"/v1/knowledge/documents/{document_id}")
    assert creating == ["dynamodb:UpdateItem", "s3:PutObject", "dynamodb:TransactWriteItems"]
    names = "dynamodb:BatchGetItem"
    assert listing == ["dynamodb:UpdateItem", "dynamodb:Query", names]
    assert reading == ["dynamodb:UpdateItem", "dynamodb:GetItem", "s3:GetObject", names]
