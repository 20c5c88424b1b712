"""From a stored document to a found one: the indexer with S3."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index, indexing, language
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.index import index_of
from helpdesk.platform import clients, clock
from helpdesk.search.s3_index import store
from helpdesk.search.s3_index.cache import CachedIndex, IndexCache
from helpdesk.search.s3_index.manifest import Manifest
from helpdesk.search.s3_index.store import IndexLocation
from helpdesk.storage import table
from tests.integration.knowledge.conftest import Add
from tests.support.api import Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.queues import sqs_event

BUCKET = "helpdesk-knowledge"
NOTHING_FAILED: dict[str, Any] = {"batchItemFailures": []}


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


def run(organization: str, *document_ids: str, receives: int = 1) -> dict[str, Any]:
    jobs = [
        {"organization": organization, "documentId": document_id, "version": 1}
        for document_id in document_ids
    ]
    answer: dict[str, Any] = function("knowledge_indexer").handler(
        sqs_event(*jobs, queue="knowledge", receives=receives), Context()
    )
    return answer


def status(api: Client, document_id: str) -> tuple[str, str | None]:
    document = api.get(f"/v1/knowledge/documents/{document_id}").body["document"]
    return document["status"], document["problem"]


def found(organization: str, words: str) -> list[tuple[str, str]]:
    knowledge = index_of(organization)
    knowledge.refresh()
    searcher = knowledge.reader
    if searcher is None:
        return []
    hits = searcher.search([{term: 1.0} for term in language.terms(words)], 50)
    return [(hit.document_id, hit.heading) for hit in hits]


def objects(prefix: str) -> list[str]:
    listed = clients.s3().list_objects_v2(Bucket=BUCKET, Prefix=prefix)
    return [entry["Key"] for entry in listed.get("Contents", [])]


def bundles(organization: str) -> list[str]:
    return objects(f"{organization}/index/v4-minilm-l6-v2-int8/bundles/")


def test_an_indexed_document_is_ready_and_found_by_section(
    api: Client, organization: NewOrganization, add: Add
) -> None:
    document_id = add("Invoices", "# Invoices\n\nGeneral.\n\n## Refunds\n\nWe pay back within 14 days.")
    with clock.frozen(lambda: 1_700_000_000_123_000):
        assert run(organization.organization_id, document_id) == NOTHING_FAILED
    document = api.get(f"/v1/knowledge/documents/{document_id}").body["document"]
    assert (document["status"], document["indexedAt"]) == ("ready", 1_700_000_000_123)
    assert found(organization.organization_id, "refund") == [(document_id, "Refunds")]


def test_words_are_found_by_their_stem_without_case_and_accents(
    organization: NewOrganization, add: Add
) -> None:
    document_id = add("Cafés", "Opening hours and cancellations")
    run(organization.organization_id, document_id)
    for words in ("cafe", "CAFÉS", "Cancellation", "hour"):
        assert found(organization.organization_id, words) == [(document_id, "")]


def test_a_batch_makes_one_commit(organization: NewOrganization, add: Add) -> None:
    made = [add(f"Doc {n}", f"text number {n}") for n in range(5)]
    assert run(organization.organization_id, *made) == NOTHING_FAILED
    assert len(bundles(organization.organization_id)) == 1
    assert {document for document, _ in found(organization.organization_id, "text")} == set(made)


def test_a_repeated_job_changes_nothing(organization: NewOrganization, add: Add) -> None:
    document_id = add("Invoices", "Pay here")
    run(organization.organization_id, document_id)
    before = objects("")
    assert run(organization.organization_id, document_id) == NOTHING_FAILED
    assert objects("") == before
    assert found(organization.organization_id, "pay") == [(document_id, "")]


def test_a_crash_before_the_status_leaves_the_document_once_in_the_index(
    api: Client, organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id, other = add("Invoices", "Pay here"), add("Prices", "Pay this")
    with monkeypatch.context() as broken:
        broken.setattr("helpdesk.knowledge.repository.set_ready", lambda _: 1 / 0)
        assert run(organization.organization_id, document_id) == {
            "batchItemFailures": [{"itemIdentifier": "message-0"}]
        }
    assert status(api, document_id)[0] == "indexing"
    run(organization.organization_id, document_id, other)
    assert status(api, document_id)[0] == "ready"
    assert sorted(found(organization.organization_id, "pay")) == [(document_id, ""), (other, "")]


def test_an_edited_document_is_found_by_its_new_text_alone(organization: NewOrganization, add: Add) -> None:
    document_id, other = add("Invoices", "Pay by card"), add("Prices", "By card or cash")
    run(organization.organization_id, document_id, other)
    rewrite(organization.organization_id, document_id, "Pay by wire")
    run(organization.organization_id, document_id)
    assert found(organization.organization_id, "card") == [(other, "")]
    assert found(organization.organization_id, "wire") == [(document_id, "")]


def test_a_removed_document_is_no_longer_found(organization: NewOrganization, add: Add) -> None:
    document_id, other = add("Invoices", "Pay by card"), add("Prices", "By card or cash")
    run(organization.organization_id, document_id, other)
    key = Document.key_for(organization.organization_id, document_id)
    clients.dynamodb().delete_item(TableName="helpdesk-test", Key=table.to_wire(key.attributes()))
    assert run(organization.organization_id, document_id) == NOTHING_FAILED
    assert found(organization.organization_id, "card") == [(other, "")]


def test_the_last_document_can_be_removed(organization: NewOrganization, add: Add) -> None:
    document_id = add("Invoices", "Pay by card")
    run(organization.organization_id, document_id)
    key = Document.key_for(organization.organization_id, document_id)
    clients.dynamodb().delete_item(TableName="helpdesk-test", Key=table.to_wire(key.attributes()))
    run(organization.organization_id, document_id)
    assert found(organization.organization_id, "card") == []
    later = add("Prices", "By card")
    run(organization.organization_id, later)
    assert found(organization.organization_id, "card") == [(later, "")]


def test_a_job_for_an_unknown_document_does_nothing(organization: NewOrganization) -> None:
    assert run(organization.organization_id, "doc_01nowhere") == NOTHING_FAILED
    assert objects("") == []


def test_a_document_without_its_text_becomes_failed_and_does_not_hold_up_others(
    api: Client, organization: NewOrganization, add: Add
) -> None:
    broken, whole = add("Broken", "one"), add("Whole", "two")
    clients.s3().delete_object(
        Bucket=BUCKET, Key=objects(f"{organization.organization_id}/documents/{broken}")[0]
    )
    assert run(organization.organization_id, broken, whole) == NOTHING_FAILED
    assert status(api, whole) == ("ready", None)
    item = table.get(Document.key_for(organization.organization_id, broken)) or {}
    assert item["status"] == "failed"
    assert "text is missing" in item["problem"]


def test_a_text_that_changed_while_it_was_indexed_stays_indexing(
    api: Client, organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = add("Invoices", "Pay by card")
    commit = CachedIndex.commit

    def overtaken(copy: CachedIndex[Any], prepare: Any) -> None:
        commit(copy, prepare)
        rewrite(organization.organization_id, document_id, "Pay by wire")

    monkeypatch.setattr(CachedIndex, "commit", overtaken)
    assert run(organization.organization_id, document_id) == NOTHING_FAILED
    assert status(api, document_id)[0] == "indexing"


def test_an_aws_error_is_retried_and_reported_after_the_last_try(
    api: Client, organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = add("Invoices", "Pay by card")
    failure = {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    with monkeypatch.context() as broken:
        error = ClientError({"Error": {"Code": "SlowDown", "Message": ""}}, "PutObject")
        broken.setattr(store, "put_bundle", lambda *_: (_ for _ in ()).throw(error))
        assert run(organization.organization_id, document_id) == failure
        assert status(api, document_id) == ("indexing", None)
        assert run(organization.organization_id, document_id, receives=5) == failure
    state, problem = status(api, document_id)
    assert state == "failed"
    assert "failed repeatedly" in str(problem)
    # Redriven from the dead-letter queue once the cause is fixed.
    run(organization.organization_id, document_id)
    assert status(api, document_id) == ("ready", None)


def test_one_bad_document_fails_alone(
    api: Client, organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = add("Bad", "one"), add("Good", "two")
    write = index.write

    def picky(copy: CachedIndex[Any], removed: list[str], added: Any, **options: Any) -> None:
        if bad in removed:
            raise RuntimeError
        write(copy, removed, added, **options)

    monkeypatch.setattr(indexing, "write", picky)
    assert run(organization.organization_id, bad, good) == {
        "batchItemFailures": [{"itemIdentifier": "message-0"}]
    }
    assert status(api, good)[0] == "ready"


def test_organizations_in_one_batch_are_kept_apart(
    organization: NewOrganization, other_organization: NewOrganization, api: Client, stranger: Client
) -> None:
    ours = api.post("/v1/knowledge/documents", {"title": "Ours", "body": "secret recipe"}).body["id"]
    theirs = stranger.post("/v1/knowledge/documents", {"title": "Theirs", "body": "secret plan"}).body["id"]
    jobs = [
        {"organization": organization.organization_id, "documentId": ours, "version": 1},
        {"organization": other_organization.organization_id, "documentId": theirs, "version": 1},
        {"organization": other_organization.organization_id, "documentId": ours, "version": 1},
    ]
    assert (
        function("knowledge_indexer").handler(sqs_event(*jobs, queue="knowledge"), Context())
        == NOTHING_FAILED
    )
    assert found(organization.organization_id, "secret") == [(ours, "")]
    assert found(other_organization.organization_id, "secret") == [(theirs, "")]


def test_a_writer_repeats_its_commit_after_a_concurrent_one(
    organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = add("First", "common words"), add("Second", "common phrases")
    rival = store.swap
    calls: list[str] = []

    def overtaken(location: IndexLocation, before: Manifest, after: Manifest) -> Manifest:
        if not calls:
            calls.append("rival")
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr(
                    index, "_cache", IndexCache(index._new_index, max_bytes=index.MAX_CACHE_BYTES)
                )
                run(organization.organization_id, second)
        return rival(location, before, after)

    monkeypatch.setattr(store, "swap", overtaken)
    assert run(organization.organization_id, first) == NOTHING_FAILED
    assert sorted(found(organization.organization_id, "common")) == [(first, ""), (second, "")]


def test_a_document_over_the_limit_of_the_index_becomes_failed_and_the_others_stay_found(
    api: Client, organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = add("First", "common text"), add("Second", "common words")
    run(organization.organization_id, first)
    knowledge = index_of(organization.organization_id)
    monkeypatch.setattr(knowledge, "_max_bytes", knowledge.size + 100)
    assert run(organization.organization_id, second) == NOTHING_FAILED
    state, problem = status(api, second)
    assert state == "failed"
    assert "maximum size" in str(problem)
    assert "700 MB, about 250 MB of text" in str(problem)
    assert found(organization.organization_id, "common") == [(first, "")]


def test_indexing_one_document_takes_seven_calls(organization: NewOrganization, add: Add) -> None:
    run(organization.organization_id, add("First", "text"))
    document_id = add("Second", "text")
    with recorded_calls() as calls:
        run(organization.organization_id, document_id)
    assert calls == [
        "dynamodb:BatchGetItem",
        "s3:GetObject",  # the manifest, to see which indexes there are
        "s3:GetObject",  # the text
        "s3:GetObject",  # the manifest, unchanged
        "s3:PutObject",  # the bundle
        "s3:PutObject",  # the manifest
        "dynamodb:UpdateItem",
    ]


def rewrite(organization: str, document_id: str, text: str) -> None:
    """Replace the text of a document, as an edit does."""
    key = f"{organization}/documents/{document_id}/edited.md"
    clients.s3().put_object(Bucket=BUCKET, Key=key, Body=text.encode())
    table.update(
        Document.key_for(organization, document_id),
        "SET revision = :revision, textKey = :key, #status = :status",
        names={"#status": "status"},
        values={":revision": "edited", ":key": key, ":status": "indexing"},
    )
