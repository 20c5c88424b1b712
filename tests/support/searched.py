"""Conversations written straight into the table, and the search indexer run on them."""

from dataclasses import dataclass, field
from typing import Any

from helpdesk.conversations.message_record import Message, Note
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.platform import clients, clock, ids
from helpdesk.search import service
from helpdesk.storage import table
from tests.support.api import Context, function
from tests.support.queues import sqs_event

BUCKET = "helpdesk-search"
NOTHING_FAILED: dict[str, Any] = {"batchItemFailures": []}

type Job = dict[str, Any]


@dataclass
class Inbox:
    """One organization's inbox. Every method that writes returns the job that the change would send."""

    organization: str
    names: dict[str, str] = field(default_factory=dict)  # of the customers, by conversation

    def customer(self, name: str | None = None, email: str | None = None) -> str:
        """Add a customer; return its id."""
        customer_id = ids.new("cus")
        self.rename(customer_id, name, email)
        return customer_id

    def rename(self, customer_id: str, name: str | None = None, email: str | None = None) -> Job:
        """Change a customer's name and e-mail."""
        given = {key: value for key, value in {"name": name, "email": email}.items() if value is not None}
        put(
            Customer.key_for(self.organization, customer_id),
            {"id": customer_id, "createdAt": clock.now_ms(), **given},
        )
        return {"organization": self.organization, "customerId": customer_id}

    def conversation(self, customer_id: str, subject: str = "Hello") -> str:
        """Add a conversation without messages; return its id."""
        conversation_id = ids.new("conv")
        self.names[conversation_id] = customer_id
        self._touch(conversation_id, subject)
        return conversation_id

    def message(self, conversation_id: str, body: str, *files: str) -> Job:
        """Add a message."""
        return self._entry("messageId", Message, conversation_id, body, files)

    def note(self, conversation_id: str, body: str) -> Job:
        """Add a note."""
        return self._entry("noteId", Note, conversation_id, body, ())

    def remove(self, conversation_id: str) -> Job:
        """Remove a conversation with its entries."""
        partition = Conversation.key_for(self.organization, conversation_id).pk
        for item in table.query_all(partition):
            delete(item)
        return {"organization": self.organization, "conversationId": conversation_id}

    def _entry(self, name: str, kind: Any, conversation_id: str, body: str, files: tuple[str, ...]) -> Job:
        entry_id = ids.new("msg")
        put(
            kind.key_for(self.organization, conversation_id, entry_id),
            {
                "id": entry_id,
                "conversationId": conversation_id,
                "body": body,
                "attachments": [{"name": file} for file in files],
            },
        )
        item = table.get(Conversation.key_for(self.organization, conversation_id)) or {}
        self._touch(conversation_id, item["subject"])
        return {"organization": self.organization, "conversationId": conversation_id, name: entry_id}

    def _touch(self, conversation_id: str, subject: str) -> None:
        put(
            Conversation.key_for(self.organization, conversation_id),
            {
                "id": conversation_id,
                "customerId": self.names[conversation_id],
                "subject": subject,
                "lastMessageAt": clock.now_ms(),
            },
        )


def put(key: Any, item: dict[str, Any]) -> None:
    clients.dynamodb().put_item(TableName="helpdesk-test", Item=table.to_wire({**key.attributes(), **item}))


def delete(item: dict[str, Any]) -> None:
    clients.dynamodb().delete_item(
        TableName="helpdesk-test", Key=table.to_wire({"PK": item["PK"], "SK": item["SK"]})
    )


def run(*jobs: Job) -> dict[str, Any]:
    """Run the search indexer on jobs as one batch."""
    answer: dict[str, Any] = function("search_indexer").handler(sqs_event(*jobs, queue="search"), Context())
    return answer


def found(organization: str, text: str) -> list[str]:
    """Return the conversations that a text finds, on all pages."""
    ids_found: list[str] = []
    after = None
    while True:
        page = service.conversations(organization, text, 3, after)
        ids_found += page.ids
        after = page.after
        if after is None:
            return ids_found


def customers_found(organization: str, text: str) -> list[str]:
    """Return the customers that a text finds."""
    return service.customers(organization, text, 50).ids


def objects(organization: str) -> dict[str, bytes]:
    """Return every object of an organization's index."""
    s3 = clients.s3()
    listed = s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{organization}/")
    return {
        entry["Key"]: s3.get_object(Bucket=BUCKET, Key=entry["Key"])["Body"].read()
        for entry in listed.get("Contents", [])
    }
