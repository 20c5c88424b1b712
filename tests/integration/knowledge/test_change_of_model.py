"""A change of EmbeddingModelId: the old index answers until the new one is whole; none has two kinds of vectors."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index, index_kinds, indexing, prose, repository
from helpdesk.platform import clients, ids
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.bedrock import BedrockEmbedder
from helpdesk.search.embeddings.embedder import EmbeddingFailed, Vectors
from helpdesk.search.embeddings.minilm import MiniLm
from tests.support.api import Client, function
from tests.support.knowledge import add, jobs, passages, read, work

BUCKET = "helpdesk-knowledge"
TITAN = "amazon.titan-embed-text-v2:0"
OLD, NEW = "v4-minilm-l6-v2-int8", "v4-amazon.titan-embed-text-v2-0-512"


@pytest.fixture(autouse=True)
def no_copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    index.clear_cache()

    def embed(_: BedrockEmbedder, texts: Sequence[str]) -> Vectors:
        return np.stack([MiniLm().question(text)[:100] for text in texts])

    monkeypatch.setattr(BedrockEmbedder, "passages", embed)
    monkeypatch.setattr(BedrockEmbedder, "question", lambda model, text: embed(model, [text])[0])
    yield
    index.clear_cache()
    settings.cache_clear()


def choose(monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL_ID", model)
    settings.cache_clear()


def kinds(organization: str) -> set[str]:
    listed = clients.s3().list_objects_v2(Bucket=BUCKET, Prefix=f"{organization}/index/")
    return {entry["Key"].split("/")[2] for entry in listed.get("Contents", [])}


def in_use(organization: str) -> str:
    return index_kinds.answering(organization).model.kind


def found(organization: str, question: str) -> list[str]:
    return [document_id for document_id, _ in passages(organization, question)]


def reindex_message(organization: str) -> dict[str, object]:
    return index_kinds.ReindexJob(organization, "run_1").to_body()


def test_a_first_index_is_whole_from_its_first_document_on(
    api: Client, organization: NewOrganization
) -> None:
    add(api, "Refunds", "Refunds by card.")
    work(*jobs())

    assert index_kinds.wanted(organization.organization_id).is_whole
    assert kinds(organization.organization_id) == {OLD}


def test_the_old_index_answers_until_the_new_one_has_every_document(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = organization.organization_id
    refunds, cards = add(api, "Refunds", "Refunds within a week."), add(api, "Cards", "Any card is accepted.")
    work(*jobs())
    choose(monkeypatch, TITAN)

    assert in_use(org) == "minilm-l6-v2-int8"
    assert found(org, "refunds")[0] == refunds

    later = add(api, "Pickup", "Pick it up at the nursery.")
    work(jobs()[-1])

    assert read(api, later)["status"] == "ready"
    assert in_use(org) == "minilm-l6-v2-int8"
    assert found(org, "pickup nursery")[0] == later
    assert kinds(org) == {OLD, NEW}

    assert work(reindex_message(org)) == {"batchItemFailures": []}

    assert in_use(org) == "amazon.titan-embed-text-v2-0-512"
    assert kinds(org) == {NEW}
    assert found(org, "refunds")[0] == refunds
    assert found(org, "any card accepted")[0] == cards
    assert found(org, "pickup nursery")[0] == later


def test_a_document_that_is_deleted_meanwhile_is_in_neither_index(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = organization.organization_id
    refunds, cards = add(api, "Refunds", "Refunds within a week."), add(api, "Cards", "Any card is accepted.")
    work(*jobs())
    choose(monkeypatch, TITAN)
    api.delete(f"/v1/knowledge/documents/{refunds}")
    work(jobs()[-1])
    assert refunds not in found(org, "refunds week")

    work(reindex_message(org))

    assert refunds not in found(org, "refunds week")
    assert found(org, "card accepted") == [cards]


class Killed(BaseException):
    """The end of a worker, which nothing can catch."""


def test_indexing_again_hands_on_and_loses_nothing_to_killed_workers(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = organization.organization_id
    added = [add(api, f"Document {number}", f"Text number {number}.") for number in range(5)]
    work(*jobs())
    choose(monkeypatch, TITAN)
    monkeypatch.setattr(indexing, "_AT_ONCE", 2)
    monkeypatch.setattr(function("knowledge_indexer"), "_REINDEX_MS", 0)
    embedded: list[str] = []
    embed = BedrockEmbedder.passages

    def count(model: BedrockEmbedder, texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return embed(model, texts)

    monkeypatch.setattr(BedrockEmbedder, "passages", count)
    message, turns = reindex_message(org), 0

    def kill(*_: object) -> None:
        raise Killed

    while in_use(org) == "minilm-l6-v2-int8":
        queued = len(jobs())
        with monkeypatch.context() as dying:
            dying.setattr(repository, "add_job", kill)
            dying.setattr(index_kinds, "finish", kill)
            with pytest.raises(Killed):
                work(message)
        assert work(message) == {"batchItemFailures": []}
        turns += 1
        message = jobs()[-1] if len(jobs()) > queued else message

    assert turns == 3
    assert [job.get("turn") for job in jobs()[5:]] == [2, 3]
    assert len(embedded) == len(added)
    assert kinds(org) == {NEW}
    assert set(found(org, "text number")) == set(added)


def test_documents_that_do_not_fit_the_new_index_fail_alone(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = organization.organization_id
    large = add(api, "Large", " ".join(ids.ulid() for _ in range(50)))
    small = add(api, "Small", "Pick it up at the nursery.")
    work(*jobs())
    choose(monkeypatch, TITAN)
    monkeypatch.setattr(index, "MAX_INDEX_BYTES", 2_500)

    assert work(reindex_message(org)) == {"batchItemFailures": []}

    assert (read(api, large)["status"], read(api, large)["problem"]) == (
        "failed",
        indexing.PROBLEM_INDEX_FULL,
    )
    assert read(api, small)["status"] == "ready"
    assert (in_use(org), kinds(org)) == ("amazon.titan-embed-text-v2-0-512", {NEW})
    assert found(org, "pick up at the nursery") == [small]


def test_indexing_again_is_harmless_where_nothing_changed(api: Client, organization: NewOrganization) -> None:
    refunds = add(api, "Refunds", "Refunds within a week.")
    work(*jobs())

    assert work(reindex_message(organization.organization_id)) == {"batchItemFailures": []}

    assert found(organization.organization_id, "refunds") == [refunds]


def test_documents_that_an_earlier_release_read_are_indexed_again(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    refunds = add(api, "Refunds", "Refunds take a <b>week</b>.")
    monkeypatch.setattr(prose, "visible", lambda text, _: text)
    monkeypatch.setattr(prose, "RELEASE", prose.RELEASE - 1)
    work(*jobs())
    assert passages(organization.organization_id, "refunds") == [(refunds, "Refunds take a <b>week</b>.")]

    monkeypatch.undo()
    work(reindex_message(organization.organization_id))

    assert passages(organization.organization_id, "refunds") == [(refunds, "Refunds take a week.")]


def test_a_model_that_refuses_leaves_the_old_index_in_use_and_the_job_in_the_queue(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(api, "Refunds", "Refunds within a week.")
    work(*jobs())
    choose(monkeypatch, TITAN)

    def refuse(_: BedrockEmbedder, texts: Sequence[str]) -> Vectors:
        raise EmbeddingFailed("AccessDeniedException")

    monkeypatch.setattr(BedrockEmbedder, "passages", refuse)

    failed = work(reindex_message(organization.organization_id))["batchItemFailures"]

    assert len(failed) == 1
    assert in_use(organization.organization_id) == "minilm-l6-v2-int8"
    assert found(organization.organization_id, "refunds") != []
