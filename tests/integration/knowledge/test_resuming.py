"""Indexing that is interrupted, and indexes that are lost."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index, indexing, vectorizing
from helpdesk.knowledge.index import index_of
from helpdesk.knowledge.vectorizing import OutOfTime
from helpdesk.platform import clients
from helpdesk.search.embeddings.minilm import MiniLm
from tests.support.api import Client
from tests.support.knowledge import add, jobs, passages, read, work

BUCKET = "helpdesk-knowledge"
LONG = "\n\n".join(f"## Part {number}\n\nText number {number}." for number in range(25))


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    index.clear_cache()
    monkeypatch.setattr(vectorizing, "SAVED_AT_ONCE", 10)


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of texts that are embedded from now on."""
    made: list[str] = []
    embed = MiniLm.question

    def count(self: MiniLm, text: str) -> Any:
        made.append(text)
        return embed(self, text)

    monkeypatch.setattr(MiniLm, "question", count)
    return made


def saved() -> list[str]:
    listed = clients.s3().list_objects_v2(Bucket=BUCKET, Prefix="unfinished/")
    return [entry["Key"] for entry in listed.get("Contents", [])]


def test_a_worker_that_dies_loses_only_the_vectors_that_it_was_making(
    api: Client, organization: NewOrganization, embedded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = add(api, "Long", LONG)
    with monkeypatch.context() as dying:
        put = clients.s3().put_object

        def die_at_the_third(**request: Any) -> Any:
            if request["Key"].endswith("000020.npy"):
                raise KeyboardInterrupt
            return put(**request)

        dying.setattr(clients.s3(), "put_object", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            indexing.index(organization.organization_id, [document_id])
    assert len(saved()) == 2
    embedded.clear()

    indexing.index(organization.organization_id, [document_id])

    assert len(embedded) == 5
    assert saved() == []
    assert read(api, document_id)["status"] == "ready"


def test_a_job_without_time_is_continued_by_the_next(
    api: Client, organization: NewOrganization, embedded: list[str]
) -> None:
    first, second = add(api, "Long", LONG), add(api, "Other", LONG)
    for _ in range(11):  # three times ten vectors of each document and of each model
        with pytest.raises(OutOfTime):
            indexing.index(organization.organization_id, [first, second], time_is_left=lambda: False)
    indexing.index(organization.organization_id, [first, second], time_is_left=lambda: False)

    assert len(embedded) == 50
    assert saved() == []
    statuses = [
        api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["status"]
        for document_id in (first, second)
    ]
    assert statuses == ["ready", "ready"]


def test_a_ready_document_that_the_index_has_is_not_indexed_again(
    api: Client, organization: NewOrganization, embedded: list[str]
) -> None:
    document_id = add(api, "Refunds", "Refunds by card.")
    work(*jobs())
    embedded.clear()

    indexing.index(organization.organization_id, [document_id])

    assert embedded == []


def test_a_lost_index_is_made_again_by_the_documents_jobs(api: Client, organization: NewOrganization) -> None:
    document_id = add(api, "Refunds", "Refunds by card.")
    work(*jobs())
    s3 = clients.s3()
    for entry in s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{organization.organization_id}/index/")[
        "Contents"
    ]:
        s3.delete_object(Bucket=BUCKET, Key=entry["Key"])
    index.clear_cache()
    assert index_of(organization.organization_id).reader is None

    indexing.index(organization.organization_id, [document_id])

    assert [found for found, _ in passages(organization.organization_id, "refunds")] == [document_id]
