"""How many conversations a document has answered."""

from typing import Any

from helpdesk.site import contents, router
from tests.integration.agent.conftest import REFUNDS, Desk
from tests.support.aws import recorded_calls
from tests.support.site import opened


def answered(desk: Desk) -> dict[str, int]:
    articles: list[dict[str, Any]] = desk.api.get("/v1/site/articles").body["articles"]
    return {each["title"]: each["answered"] for each in articles}


def ask(desk: Desk, question: str, session: str) -> list[str]:
    """Let a visitor ask and the agent answer; return the calls for it."""
    job = desk.write(question, session)
    with recorded_calls() as calls:
        assert desk.work(job) == []
    assert "after five working days" in desk.answers(job["conversationId"])[-1]
    return calls


def test_a_document_counts_once_for_each_conversation_that_it_answers_and_its_page_says_so(
    desk: Desk,
) -> None:
    document_id = desk.learn("Refunds", REFUNDS)
    desk.learn("Colours", "We paint in red and blue.")
    assert desk.api.patch(f"/v1/knowledge/documents/{document_id}", {"published": True}).status == 200
    visitor = opened(desk.api)
    router.forget()
    contents.forget()

    first = ask(desk, "How long does a refund take?", "session-of-vera")
    again = ask(desk, "How long does a refund take again?", "session-of-vera")

    assert answered(desk) == {"Refunds": 1}
    assert first[-2:] == ["dynamodb:BatchGetItem", "dynamodb:UpdateItem"]
    assert again[-1] == "dynamodb:TransactWriteItems"
    ask(desk, "How long does a refund take?", "session-of-wim")
    assert answered(desk) == {"Refunds": 2}
    assert visitor.get("/articles/refunds").words(".meta").endswith("Answered 2 conversations")
    changed = desk.api.patch(f"/v1/knowledge/documents/{document_id}", {"slug": "money-back"})
    assert (changed.status, answered(desk)) == (200, {"Refunds": 2})


def test_a_document_without_answers_says_nothing_of_it(desk: Desk) -> None:
    desk.api.post("/v1/knowledge/documents", {"title": "Refunds", "body": REFUNDS, "published": True})
    visitor = opened(desk.api)
    router.forget()
    contents.forget()

    assert "conversation" not in visitor.get("/articles/refunds").words(".meta")
