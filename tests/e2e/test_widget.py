"""A chat widget's needs: news, ratings, and conversations that are resolved automatically."""

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest

from scripts.local.settings import ACCOUNT, STACK_NAME
from tests.support.api import Answer
from tests.support.web import Web

DAY_MS = 86_400_000


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    web = Web(stack["base_url"], stack["secret_key"])
    yield web
    web.patch("/v1/agent", {"autoResolve": False, "nightlySweep": False, "texts": None})


def client(service: str, stack: Mapping[str, str]) -> Any:
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=stack["endpoint_url"],
        region_name=stack["region"],
        aws_access_key_id=ACCOUNT["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=ACCOUNT["AWS_SECRET_ACCESS_KEY"],
    )


def write(api: Web, session: str, body: str) -> dict[str, str]:
    answer = api.post("/v1/messages", {"session": session, "body": body})
    assert answer.status == 200, answer
    return dict(answer.body)


def news(api: Web, session: str, after: str) -> Answer:
    return api.get(f"/v1/messages?session={session}&after={after}")


def waited_for(api: Web, session: str, after: str) -> dict[str, Any]:
    """Return the first conversation of the first answer that has a message, within a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        [first, *_] = news(api, session, after).body["conversations"]
        if first["messages"]:
            return dict(first)
        time.sleep(0.5)
    raise AssertionError("nothing came")


def test_an_answer_is_among_the_newer_messages(api: Web) -> None:
    session = f"visitor-{uuid.uuid4()}"
    asked = write(api, session, "How are webhooks signed?")

    found = waited_for(api, session, asked["messageId"])

    assert [message["agent"]["kind"] for message in found["messages"]] == ["ai"]
    assert found["status"] == "open"


def test_a_german_visitor_reads_the_german_hand_off_and_the_next_one_the_organizations_own(api: Web) -> None:
    def hand_off() -> str:
        session = f"visitor-{uuid.uuid4()}"
        asked = write(api, session, "Ich möchte bitte mit einem Menschen sprechen")
        [message] = waited_for(api, session, asked["messageId"])["messages"]
        return str(message["body"])

    default = (
        "Ich gebe Ihre Anfrage an unser Team weiter. Sie erhalten hier so bald wie möglich eine Antwort."
    )
    assert hand_off() == default
    own = {"handoff": {"de": "Einen Moment bitte, ich hole jemanden."}}
    assert api.patch("/v1/agent", {"texts": own}).body["customTexts"] == {"handoff": ["de"]}
    assert hand_off() == "Einen Moment bitte, ich hole jemanden."


def test_a_conversation_that_the_agent_finished_is_resolved_and_rated(api: Web) -> None:
    api.patch("/v1/agent", {"autoResolve": True})
    session = f"visitor-{uuid.uuid4()}"
    asked = write(api, session, "How are webhooks signed?")
    waited_for(api, session, asked["messageId"])

    thanked = write(api, session, "Danke, das hat geholfen!")
    ended = waited_for(api, session, thanked["messageId"])
    before = api.get("/v1/analytics/satisfaction?days=7").body
    rating = {"session": session, "conversationId": ended["id"], "stars": 5, "note": "Quick"}
    rated = api.post("/v1/messages/rating", rating)
    after = api.get("/v1/analytics/satisfaction?days=7").body

    assert ended["status"] == "resolved"
    assert rated.body == {"ok": True}
    assert after["count"] == before["count"] + 1
    assert after["perDaySum"][-1] == before["perDaySum"][-1] + 5


def test_the_nightly_run_resolves_conversations_that_the_agent_finished_a_day_ago(
    api: Web, stack: Mapping[str, str]
) -> None:
    session = f"visitor-{uuid.uuid4()}"
    asked = write(api, session, "How are webhooks signed?")
    answered = waited_for(api, session, asked["messageId"])
    api.patch("/v1/agent", {"nightlySweep": True})
    _make_older(stack, asked["conversationId"])

    sweep(stack)

    [found] = news(api, session, answered["messages"][-1]["id"]).body["conversations"]
    assert (found["status"], found["messages"]) == ("resolved", [])
    thread = api.get(f"/v1/conversations/{asked['conversationId']}").body["messages"]
    assert "nobody has written for 24 hours" in thread[-1]["body"]


def sweep(stack: Mapping[str, str]) -> None:
    """Run the nightly function as its schedule would, also for a night that was done."""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    night = {"PK": {"S": f"AUTORESOLVE#{today}"}, "SK": {"S": "CHECKPOINT"}}
    client("dynamodb", stack).delete_item(TableName=stack["table"], Key=night)
    answer = client("lambda", stack).invoke(FunctionName=f"{STACK_NAME}-AutoResolve", Payload=json.dumps({}))
    assert "FunctionError" not in answer, answer["Payload"].read()


def _make_older(stack: Mapping[str, str], conversation_id: str) -> None:
    """Move a conversation's last message two days into the past."""
    at = time.time_ns() // 1_000_000 - 2 * DAY_MS
    client("dynamodb", stack).update_item(
        TableName=stack["table"],
        Key={"PK": {"S": f"ORG#{stack['organization_id']}#CONV#{conversation_id}"}, "SK": {"S": "CONV"}},
        UpdateExpression="SET lastMessageAt = :at, GSI1SK = :place",
        ConditionExpression="attribute_exists(PK)",
        ExpressionAttributeValues={":at": {"N": str(at)}, ":place": {"S": f"{at:013d}#{conversation_id}"}},
    )
