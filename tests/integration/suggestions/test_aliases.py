"""A question whose answer the knowledge base has, and that the agent did not find, becomes words that find it."""

from typing import Any

import pytest

from helpdesk.knowledge import retrieval
from helpdesk.platform.settings import settings
from tests.support.api import Client
from tests.support.site import opened
from tests.support.suggestions import accept, answered, documents, listed, suggested
from tests.support.workers import Workers

QUESTION = "Where do I see the paperwork for the taxman?"
ANSWER = "Each invoice is a PDF on the page Billing, under Receipts."
BODY = f"# Invoices\n\n## Download\n\n{ANSWER}\n"
SITE = "https://help.example"


@pytest.fixture(autouse=True)
def _address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASE_URL", SITE)
    settings.cache_clear()


def stock(api: Client, workers: Workers, **fields: Any) -> str:
    """Add a document that has the answer, in words other than the question's; return its id."""
    made = api.post("/v1/knowledge/documents", {"title": "Invoices", "body": BODY, **fields})
    workers.run()
    return str(made.body["id"])


def test_an_answer_that_a_document_has_becomes_an_alias_of_it_with_one_call(
    api: Client, workers: Workers, organization: Any
) -> None:
    document_id = stock(api, workers)

    suggestion = suggested(api, workers, question=QUESTION, answer=ANSWER)

    assert (suggestion["kind"], suggestion["status"]) == ("alias", "pending")
    assert (suggestion["alias"], suggestion["title"]) == (QUESTION, "Invoices")
    assert (suggestion["targetDocId"], suggestion["baseVersion"]) == (document_id, None)
    assert suggestion["body"] == ANSWER
    accepted = accept(api, suggestion)
    assert accepted.status == 200, accepted.body
    assert accepted.body["suggestion"]["documentId"] == document_id
    workers.run()
    [document] = documents(api)
    assert (document["id"], document["aliases"]) == (document_id, [QUESTION])
    assert api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["body"] == BODY
    assert listed(api)[0]["answersNow"] == {"answered": 1, "of": 1}
    [passage] = retrieval.find(organization.organization_id, QUESTION) or []
    assert passage.excerpt == ANSWER


@pytest.mark.parametrize(
    "link", ["https://docs.example/invoices/", f"{SITE}/site/{{slug}}/articles/invoices"]
)
def test_an_answer_that_links_to_a_document_becomes_an_alias_of_that(
    api: Client, workers: Workers, link: str
) -> None:
    visitor = opened(api)
    document_id = stock(api, workers, url="https://docs.example/invoices", published=True)
    api.post("/v1/knowledge/documents", {"title": "Colours", "body": "We paint in red and blue."})
    workers.run()

    suggestion = suggested(
        api,
        workers,
        question="What about the thing for my accountant?",
        answer=f"All of that is on this page ({link.format(slug=visitor.slug)}).",
    )

    assert (suggestion["kind"], suggestion["targetDocId"]) == ("alias", document_id)
    assert suggestion["alias"] == "What about the thing for my accountant?"


def test_an_answer_that_says_more_than_the_documents_is_still_a_document(
    api: Client, workers: Workers
) -> None:
    stock(api, workers)

    suggestion = suggested(
        api, workers, question=QUESTION, answer="Ask your bank for the statements of the last quarter."
    )

    assert (suggestion["kind"], suggestion["alias"]) == ("new", None)


def test_other_words_can_be_accepted_and_nothing_else(api: Client, workers: Workers) -> None:
    stock(api, workers)
    suggestion = suggested(api, workers, question=QUESTION, answer=ANSWER)

    refused = accept(api, suggestion, title="Taxes")
    accepted = accept(api, suggestion, alias="paperwork for taxes")

    assert (refused.status, refused.body["error"]["code"]) == (400, "invalid_request")
    assert accepted.status == 200
    assert documents(api)[0]["aliases"] == ["paperwork for taxes"]
    assert accept(api, suggestion).code == "suggestion_settled"


def test_a_suggested_document_takes_no_alias(api: Client, workers: Workers) -> None:
    refused = accept(api, suggested(api, workers), alias="contacts")

    assert (refused.status, refused.body["error"]["code"]) == (400, "invalid_request")


def test_a_document_that_changed_meanwhile_still_gets_its_alias_and_one_that_is_gone_does_not(
    api: Client, workers: Workers
) -> None:
    document_id = stock(api, workers)
    suggestion = suggested(api, workers, question=QUESTION, answer=ANSWER)
    api.patch(f"/v1/knowledge/documents/{document_id}", {"title": "Bills", "aliases": ["invoice"]})
    api.post(f"/v1/knowledge/suggestions/{suggestion['id']}/accept", {})

    assert documents(api)[0]["aliases"] == ["invoice", QUESTION]

    answered(
        api,
        workers,
        question="Which papers does my accountant want?",
        answer=ANSWER,
        session="session-of-otto",
    )
    other = listed(api, "?status=pending")[0]
    assert other["kind"] == "alias"
    api.delete(f"/v1/knowledge/documents/{document_id}")
    assert accept(api, other).code == "suggestion_gone"


def test_an_erased_customers_words_are_no_longer_suggested(api: Client, workers: Workers) -> None:
    stock(api, workers)
    conversation = answered(api, workers, question=QUESTION, answer=ANSWER)
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]

    assert api.delete(f"/v1/customers/{customer}").status == 200
    workers.run()

    assert listed(api) == []
