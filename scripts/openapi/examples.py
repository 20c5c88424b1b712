"""Realistic examples: bodies and responses by operation, events by type. Tests validate each against its schema."""

from typing import Any

from helpdesk.agent.record import AgentSettings
from helpdesk.agent.schemas import AgentSettingsWithTexts
from helpdesk.conversations.state import Transition
from helpdesk.customers import exporting
from helpdesk.customers.schemas import CustomerShape
from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.platform.units import DAY_MS
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.texts import Sentences, defaults
from scripts.openapi import (
    account_examples,
    approval_examples,
    inbox_examples,
    knowledge_examples,
    noun_examples,
    signal_examples,
)

_CONVERSATION = inbox_examples.CONVERSATION_ID
_ENDPOINT = "wh_01jd3n5p8s2d6f9g1h4j7k0m3q"
_EVENT = "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"
_AT = account_examples.AT
_FILE = {
    "name": "invoice.png",
    "size": 48213,
    "type": "image/png",
    "url": "https://support.example.com/v1/files/7Kd02mXq9ZrT4vBw1sNc8HyLpGf3JtQa5EuRi6WoDkM",
}

_QUESTION = {
    "id": "msg_01jd3kq8w2h6c9g4s8d0m5x7ar",
    "conversationId": _CONVERSATION,
    "createdAt": _AT,
    "sender": "visitor",
    "agent": None,
    "body": "Where do I find my invoices?",
    "attachments": [_FILE],
}
_ANSWER = {
    "id": "msg_01jd3kqbx4k8e1j6v0f2p7z9ct",
    "conversationId": _CONVERSATION,
    "createdAt": _AT + 2_300,
    "sender": "agent",
    "agent": {"kind": "ai", "name": "Assistant", "avatarUrl": None},
    "body": "Your invoices are under Account, Billing.",
    "attachments": [],
}
_SOURCE = {
    "documentId": knowledge_examples.DOCUMENT,
    "version": 2,
    "title": "Invoices",
    "heading": "Where are my invoices?",
    "url": "https://docs.example.com/invoices",
}
_CUSTOMER = {
    **inbox_examples.VISITOR,
    "metadata": {"plan": "pro", "seats": "4"},
    "mailNotices": True,
    "createdAt": _AT,
    "updatedAt": _AT,
}
_FACT = "fact_01jd3w2m5p8s1v4y7b0ez3k6nq"
_RATING = "rat_01jd3kzz4v7y0b3e6h9m2p5s8w"
_RECEIPT = {
    "id": "ers_01jd3x5p8s1v4y7b0ez3k6nq9t",
    "customerId": _CUSTOMER["id"],
    "requestedAt": _AT + DAY_MS,
    "finishedAt": _AT + 86_404_000,
    "counts": {
        "customers": 1,
        "conversations": 3,
        "messages": 42,
        "notes": 7,
        "ratings": 2,
        "files": 1,
        "events": 42,
        "facts": 1,
        "posts": 1,
        "votes": 4,
        "comments": 2,
        "threads": 3,
    },
}
_BY_ADA = {"createdBy": account_examples.USER, "createdByName": "Ada Lovelace"}
_ENTRIES = [
    {**_QUESTION, "kind": "message", "sources": [], "found": [], "mail": None, "mailed": None},
    {**_ANSWER, "kind": "message", "sources": [_SOURCE], "found": [], "mail": None, "mailed": None},
]
_LOG_ENTRY = {
    "id": "log_01jd3p6q9t3e7g0h2j5k8m1n4r",
    "at": _AT,
    "lastAt": _AT,
    "count": 1,
    "kind": "webhook_stopped_answering",
    "actor": "system",
    "actorId": None,
    "summary": "https://shop.example.com/hooks stopped answering.",
    "detail": {"endpointId": _ENDPOINT},
}
_SETTINGS = {
    **AgentSettingsWithTexts.from_record(
        AgentSettings(organization="org_1"), texts=None, custom_texts={}
    ).model_dump(by_alias=True),
    "name": "Grace",
    "personality": "Short and friendly.",
    # A few of the sentences.
    "texts": {
        "handoff": {
            "en": "{agent} is getting someone from our team.",
            "de": defaults("de")[TextName.HANDOFF],
        },
        "goodbye": {"en": defaults("en")[TextName.GOODBYE], "de": defaults("de")[TextName.GOODBYE]},
    },
    "customTexts": {"handoff": ["en"]},
}
_OK = {"ok": True}
_CURSOR = "eyJwIjoiMDFqZDNrcTgifQ.8c1f0a9b"
_UPLOADED = {"id": "file_01jd3q7r0v4f8h1j3k6m9n2p5s", **_FILE}

BODIES: dict[str, Any] = {
    **noun_examples.BODIES,
    "postMessage": {
        "session": "visitor-4f9c2b7a",
        "body": "Where do I find my invoices?",
        "user": {"name": "Ada Lovelace", "email": "ada@example.com", "metadata": {"plan": "pro", "seats": 4}},
        "context": {"timeZone": "Europe/Berlin", "locale": "de-DE", "device": "desktop"},
        "page": {"url": "https://shop.example.com/account", "title": "Your account"},
    },
    "rate": {
        "session": "visitor-4f9c2b7a",
        "conversationId": _CONVERSATION,
        "stars": 5,
        "note": "Quick and to the point.",
    },
    "upload": {"name": "invoice.png", "type": "image/png", "size": 48213},
    "markRead": {"messageId": "msg_01jd3kqbx4k8e1j6v0f2p7z9ct"},
    "reply": {"body": "They are under Account, Billing.", "takeOver": True},
    "writeNote": {"body": "Same question in May. Let us make the menu clearer."},
    "assignConversation": {"userId": account_examples.USER, "teamId": account_examples.TEAM},
    "snoozeConversation": {"until": _AT + DAY_MS},
    "createCustomer": {"name": "Ada Lovelace", "email": "ada@example.com", "metadata": {"plan": "pro"}},
    "updateCustomer": {"email": "ada.lovelace@example.com"},
    "addFact": {"text": "Runs two shops, in Berlin and in Leeds."},
    "writeToCustomer": {"body": "Your refund is on its way."},
    "askAgent": {"question": "Where do I find my invoices?"},
    "updateAgent": {
        "name": "Grace",
        "personality": "Short and friendly.",
        "texts": {"handoff": {"en": "{agent} is getting someone from our team."}, "goodbye": None},
    },
    "createWebhook": {
        "url": "https://shop.example.com/hooks",
        "events": ["message.created", "conversation.updated"],
    },
    "updateWebhook": {"events": ["message.created"]},
}

ANSWERS: dict[str, Any] = {
    **noun_examples.ANSWERS,
    "postMessage": {"conversationId": _CONVERSATION, "messageId": _QUESTION["id"]},
    "getHistory": {
        "conversations": [{**inbox_examples.STATE, "startedAt": _AT, "messages": [_QUESTION, _ANSWER]}]
    },
    "upload": {**_UPLOADED, "upload": None},
    "listConversations": {"conversations": [inbox_examples.CONVERSATION], "nextCursor": _CURSOR},
    "getConversation": {
        "conversation": inbox_examples.CONVERSATION,
        "messages": _ENTRIES,
        "nextCursor": None,
    },
    "getMailSource": {"url": "https://helpdesk-files.s3.amazonaws.com/inbound/4kq8?X-Amz-Signature=5f1c"},
    "markRead": _OK,
    "reply": {"messageId": "msg_01jd3ksd6n0g3h8w2k5m9r1yv4", "conversation": inbox_examples.STATE},
    "writeNote": {"messageId": "msg_01jd3ktz8p2j5k0y4m7q1t3xb6"},
    **{f"{move.name.split('_')[0].lower()}Conversation": _OK for move in Transition},
    "takeOverConversation": _OK,
    "handBackConversation": _OK,
    "rate": _OK,
    "getSatisfaction": {
        "perDaySum": [0, 9, 5, 0, 0, 4, 0],
        "perDayCount": [0, 2, 1, 0, 0, 1, 0],
        "average": 4.5,
        "count": 4,
        "distribution": [0, 0, 0, 2, 2],
        "capped": False,
    },
    "getWidgetSettings": {
        "agentName": "Grace",
        "requireEmail": False,
        "messagePreview": True,
        "showBranding": False,
        "language": "de",
        "texts": Sentences("de", {}).of_widget(),
    },
    "listCustomers": {"customers": [_CUSTOMER], "nextCursor": _CURSOR},
    "getCustomer": {
        "customer": _CUSTOMER,
        "facts": [
            {
                "id": _FACT,
                "text": "Runs two shops, in Berlin and in Leeds.",
                "createdAt": _AT,
                **_BY_ADA,
            }
        ],
        "nextCursor": None,
    },
    "createCustomer": {"id": _CUSTOMER["id"]},
    "updateCustomer": {"customer": {**_CUSTOMER, "email": "ada.lovelace@example.com"}},
    "addFact": {"id": _FACT},
    "removeFact": _OK,
    "eraseCustomer": {"receipt": {**_RECEIPT, "finishedAt": None, "counts": None}},
    "getErasure": {"receipt": _RECEIPT},
    "exportCustomer": {
        "customer": _CUSTOMER,
        "facts": [
            {"id": _FACT, "text": "Runs two shops.", "createdAt": _AT, **_BY_ADA},
        ],
        **noun_examples.EXPORTED,
        "reports": [signal_examples.EXPORTED],
        "conversations": [
            {
                "conversation": inbox_examples.CONVERSATION,
                "messages": _ENTRIES,
                "ratings": [{"id": _RATING, "stars": 5, "note": "That was quick.", "at": _AT + 60_000}],
                "suggestedQuestions": [knowledge_examples.SUGGESTED_QUESTION],
                "approvals": [approval_examples.PENDING],
                "threads": [noun_examples.THREAD],
            }
        ],
        "nextCursor": None,
    },
    "writeToCustomer": {"conversationId": _CONVERSATION, "messageId": _ANSWER["id"], "mail": "queued"},
    "getAgent": _SETTINGS,
    "updateAgent": _SETTINGS,
    "askAgent": {
        "outcome": "answer",
        "reason": None,
        "body": "Here is what I found in **Invoices**:\n\nYour invoices are under Account, Billing.",
        "passages": [
            {
                "documentId": knowledge_examples.DOCUMENT,
                "title": "Invoices",
                "heading": "Where are my invoices?",
                "text": "Your invoices are under Account, Billing.",
                "score": 0.93,
            }
        ],
    },
    "createWebhook": {"id": _ENDPOINT},
    "listWebhooks": {
        "webhooks": [
            {
                "id": _ENDPOINT,
                "url": "https://shop.example.com/hooks",
                "events": ["message.created", "conversation.updated"],
                "createdAt": _AT,
                "status": "delivered",
                "lastDeliveryAt": _AT + 3_100,
                "failingSince": None,
                "keyId": account_examples.KEY,
                "secretCreatedAt": None,
            }
        ],
        "unreadable": [],
    },
    "listDeliveries": {
        "deliveries": [
            {
                "eventId": _EVENT,
                "type": "message.created",
                "createdAt": _AT,
                "status": "pending",
                "attempts": [
                    {"attempt": 1, "at": _AT + 120, "status": 503, "durationMs": 240, "error": "status"},
                    {
                        "attempt": 2,
                        "at": _AT + 30_361,
                        "status": None,
                        "durationMs": 15_000,
                        "error": "timeout",
                    },
                ],
                "nextAttemptAt": _AT + 345_361,
            }
        ],
        "nextCursor": None,
    },
    "redeliver": _OK,
    "testWebhook": {"id": _EVENT},
    "createSecret": {"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ2Yt1dKcXfE="},
    "removeSecret": _OK,
    "listEvents": {
        "events": [
            {
                "id": _EVENT,
                "type": "conversation.created",
                "createdAt": _AT,
                "data": {"conversation": inbox_examples.STATE},
            }
        ],
        "nextCursor": _CURSOR,
        "hasMore": False,
    },
    "updateWebhook": _OK,
    "removeWebhook": _OK,
    "getLimits": account_examples.LIMITS,
    "listLogs": {"logs": [_LOG_ENTRY], "nextCursor": _CURSOR},
    "getLog": {"log": _LOG_ENTRY},
}

_SIGNAL = {
    **signal_examples.SHOWN,
    "reporterCount": 3,
    "updatedBy": None,
    "updatedByName": None,
    "tracker": {"identifier": "SHOP-214", "url": "https://tracker.example.com/SHOP-214"},
}

_TEST_CONVERSATION = "conv_00000000000000000000000000"

_EVENT_DATA: dict[WebhookEvent | OwnEvent, Any] = {
    WebhookEvent.MESSAGE_CREATED: {"conversation": inbox_examples.STATE, "message": _ANSWER},
    WebhookEvent.CONVERSATION_CREATED: {"conversation": inbox_examples.STATE},
    WebhookEvent.CONVERSATION_UPDATED: {"conversation": {**inbox_examples.STATE, "awaitingHuman": True}},
    WebhookEvent.BUG_CREATED: {"signal": _SIGNAL},
    WebhookEvent.SUGGESTION_CREATED: {
        "signal": {**_SIGNAL, "kind": "suggestion", "title": "Export as Parquet", "priority": "low"}
    },
    WebhookEvent.SIGNAL_UPDATED: {
        "signal": {
            **_SIGNAL,
            "status": "in progress",
            "updatedBy": account_examples.USER,
            "updatedByName": "Grace",
        }
    },
    WebhookEvent.KNOWLEDGE_SUGGESTION_CREATED: {
        "suggestion": {
            "id": "sug_01jd3s9t2x6h0k3m5n8p1q4r7v",
            "conversationId": _CONVERSATION,
            "conversationSubject": "Where do I find my invoices?",
            "title": "Invoices",
            "body": "Your invoices are under Account, Billing.",
            "targetDocId": None,
            "suggestedAt": _AT,
        }
    },
    OwnEvent.WEBHOOK_TEST: {
        "endpointId": _ENDPOINT,
        "test": True,
        "conversation": {"id": _TEST_CONVERSATION, "status": "open", "awaitingHuman": False},
        "message": {
            "id": "msg_00000000000000000000000000",
            "conversationId": _TEST_CONVERSATION,
            "createdAt": _AT,
            "sender": "visitor",
            "agent": None,
            "body": "This is a test. Your endpoint receives what Helpdesk sends.",
            "attachments": [],
        },
    },
}

EVENTS: dict[WebhookEvent | OwnEvent, Any] = {
    kind: {"id": _EVENT, "type": kind.value, "createdAt": _AT, "data": data}
    for kind, data in _EVENT_DATA.items()
}

# Realistic messages for errors whose default message is general.
MESSAGES: dict[str, str] = {"invalid_request": "`user.name` must be text."}

# Of the lists that are also CSV.
CSV: dict[str, str] = {
    "listCustomers": exporting.written([CustomerShape.model_validate(_CUSTOMER)], None).text
}
