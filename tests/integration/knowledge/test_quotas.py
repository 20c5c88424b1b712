"""Quotas of the knowledge base: how many documents, and how many bytes, a plan allows."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.quotas import errors
from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import KnowledgeQuota
from helpdesk.api.admission.limits import Plan
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.knowledge import add, read, texts

type Make = Callable[..., NewOrganization]
AT = "/v1/knowledge/documents"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plans allow 2, 3 and 4 documents of 100, 200 and 300 bytes together."""
    for number, plan in enumerate(Plan, start=1):
        monkeypatch.setitem(errors.KNOWLEDGE_QUOTAS, plan, KnowledgeQuota(number + 1, number * 100))
    quotas._plans.clear()


def used(made: NewOrganization) -> tuple[int, int]:
    found = quotas.used(made.organization_id).knowledge
    return found.documents, found.size


def test_the_quotas_are_those_of_the_plans() -> None:
    shown = {plan: (quota.documents, quota.size) for plan, quota in REAL.items()}
    assert shown == {
        Plan.EXPLORE: (100, 20_000_000),
        Plan.STANDARD: (2_000, 200_000_000),
        Plan.PRO: (20_000, 2_000_000_000),
    }


REAL = dict(errors.KNOWLEDGE_QUOTAS)


@pytest.mark.parametrize(
    ("plan", "documents", "code"),
    [
        (Plan.EXPLORE, 2, "upgrade_required"),
        (Plan.STANDARD, 3, "upgrade_required"),
        (Plan.PRO, 4, "document_limit"),
    ],
)
def test_one_document_more_than_the_plan_allows_is_refused(
    make_organization: Make, plan: Plan, documents: int, code: str
) -> None:
    made = make_organization(plan)
    api = Client(made.secret_key)
    for number in range(documents):
        add(api, f"Doc {number}", "text")
    refused = api.post(AT, {"title": "One more", "body": "text"})
    assert (refused.status, refused.code) == (400, code)
    assert f"{documents} documents" in refused.message
    assert used(made) == (documents, 4 * documents)
    assert len(texts()) == documents
    api.delete(f"{AT}/{api.get(AT).body['documents'][0]['id']}")
    assert api.post(AT, {"title": "One more", "body": "text"}).status == 200


def test_bytes_beyond_the_plan_are_refused_in_new_and_in_changed_documents(make_organization: Make) -> None:
    made = make_organization(Plan.EXPLORE)
    api = Client(made.secret_key)
    document_id = add(api, "Doc", "a" * 60)
    assert api.post(AT, {"title": "Other", "body": "a" * 41}).code == "upgrade_required"
    other = add(api, "Other", "a" * 40)
    assert used(made) == (2, 100)
    assert api.patch(f"{AT}/{document_id}", {"body": "b" * 61}).code == "upgrade_required"
    assert read(api, document_id)["body"] == "a" * 60
    assert api.patch(f"{AT}/{other}", {"body": "ä"}).status == 200
    assert used(made) == (2, 62)
    assert api.patch(f"{AT}/{document_id}", {"body": "b" * 98}).status == 200
    assert used(made) == (2, 100)


def test_a_knowledge_base_over_its_quota_can_be_shortened_renamed_and_moved(make_organization: Make) -> None:
    made = make_organization(Plan.PRO)
    api = Client(made.secret_key)
    ids = [add(api, f"Doc {number}", "a" * 70) for number in range(4)]
    organizations.set_plan(made.organization_id, Plan.EXPLORE, api_limits=False, unlimited_api=False)
    folder = api.post("/v1/knowledge/folders", {"name": "All"}).body["id"]
    assert api.patch(f"{AT}/{ids[0]}", {"title": "Renamed", "folderId": folder}).status == 200
    assert api.patch(f"{AT}/{ids[0]}", {"body": "a" * 69}).status == 200
    assert api.patch(f"{AT}/{ids[0]}", {"body": "a" * 70}).code == "upgrade_required"
    assert api.post(AT, {"title": "More", "body": "a"}).code == "upgrade_required"
    assert api.delete(f"{AT}/{ids[1]}").status == 200
    assert used(made) == (3, 209)


def test_a_higher_plan_applies_to_the_next_document(make_organization: Make) -> None:
    made = make_organization(Plan.EXPLORE)
    api = Client(made.secret_key)
    for number in range(2):
        add(api, f"Doc {number}", "text")
    assert api.post(AT, {"title": "More", "body": "text"}).code == "upgrade_required"
    organizations.set_plan(made.organization_id, Plan.STANDARD, api_limits=False, unlimited_api=False)
    assert api.post(AT, {"title": "More", "body": "text"}).status == 200


@pytest.mark.parametrize("seed", range(6))
def test_concurrent_requests_do_not_exceed_a_quota(make_organization: Make, seed: int) -> None:
    made = make_organization(Plan.STANDARD)
    api = Client(made.secret_key)
    first = add(api, "First", "a" * 20)

    def create() -> int:
        return api.post(AT, {"title": "Doc", "body": "a" * 20}).status

    def grow() -> int:
        return api.patch(f"{AT}/{first}", {"body": "b" * 170}).status

    outcomes = interleaved([create, create, create, grow], seed).all()
    listed = api.get(AT).body["documents"]
    assert used(made) == (len(listed), sum(document["size"] for document in listed))
    assert len(listed) <= 3
    assert used(made)[1] <= 200
    assert len(listed) == 1 + outcomes[:3].count(200)


def test_a_quota_is_shown_with_the_limits(make_organization: Make) -> None:
    api = Client(make_organization(Plan.STANDARD).secret_key)
    add(api, "Doc", "text")
    assert api.get("/v1/billing/limits").body["knowledge"] == {
        "documents": {"used": 1, "limit": 3},
        "bytes": {"used": 4, "limit": 200},
        "suggestionsToday": {"used": 0, "limit": 20},
    }


def test_a_wrong_assumption_about_the_plan_costs_one_call_once(make_organization: Make) -> None:
    api = Client(make_organization(Plan.STANDARD).secret_key)
    api.get(AT)
    with recorded_calls() as first:
        add(api, "Doc", "text")
    with recorded_calls() as second:
        add(api, "Another", "text")
    assert first == ["dynamodb:UpdateItem", "s3:PutObject", *["dynamodb:TransactWriteItems"] * 2]
    assert second == ["dynamodb:UpdateItem", "s3:PutObject", "dynamodb:TransactWriteItems"]
