"""A lost index is restored from the table."""

import json
from typing import Any

from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.search import index
from scripts.reindex import reindex
from tests.support.api import Client
from tests.support.searched import BUCKET, NOTHING_FAILED, customers_found, found, objects, run


def received() -> list[dict[str, Any]]:
    """Receive and delete all messages of the search queue."""
    bodies: list[dict[str, Any]] = []
    while (
        messages := clients.sqs()
        .receive_message(QueueUrl=settings().search_queue_url, MaxNumberOfMessages=10)
        .get("Messages")
    ):
        for message in messages:
            bodies.append(json.loads(message["Body"]))
            clients.sqs().delete_message(
                QueueUrl=settings().search_queue_url, ReceiptHandle=message["ReceiptHandle"]
            )
    return bodies


def test_a_lost_index_is_restored(api: Client, stranger: Client, organization: NewOrganization) -> None:
    made = [
        api.post(
            "/v1/messages",
            {"session": f"session-{number}", "body": f"parcel {number}", "user": {"name": f"Ann {number}"}},
        ).body["conversationId"]
        for number in range(3)
    ]
    stranger.post("/v1/messages", {"session": "session-1", "body": "parcel of another"})
    api.post(f"/v1/conversations/{made[0]}/note", {"body": "a note"})
    api.post(f"/v1/conversations/{made[1]}/resolve")
    api.post(f"/v1/conversations/{made[2]}/archive")
    assert reindex(organization.organization_id) == {"conversations": 3, "customers": 3, "refused": 0}
    jobs = received()
    assert {job["organization"] for job in jobs} == {organization.organization_id}
    assert run(*jobs) == NOTHING_FAILED
    assert sorted(found(organization.organization_id, "parcel")) == sorted(made)
    assert found(organization.organization_id, "note") == [made[0]]

    for key in objects(organization.organization_id):
        clients.s3().delete_object(Bucket=BUCKET, Key=key)
    assert found(organization.organization_id, "parcel") == []
    index.clear_cache()
    reindex(organization.organization_id)
    assert run(*received()) == NOTHING_FAILED
    assert sorted(found(organization.organization_id, "parcel")) == sorted(made)
    assert len(customers_found(organization.organization_id, "ann")) == 3
