"""Realistic examples for the knowledge base: bodies and responses by operation."""

import hashlib
from typing import Any

DOCUMENT = "doc_01jd3m2w7c9k5x8r4t6v1z3y0b"
_FOLDER = "fold_01jd3m0a6q2w8e4r1t7y3u9i5o"
_OTHER_FOLDER = "fold_01jd3m1p5s8d2f6g0h4j7k1l3z"
_AT = 1763683199500
_OK = {"ok": True}
_TEXT = "Your invoices are under Account, Billing."
_LISTED: dict[str, Any] = {
    "id": DOCUMENT,
    "title": "Invoices",
    "folderId": None,
    "status": "ready",
    "problem": None,
    "source": {"kind": "written", "url": None, "repo": None, "path": None, "version": None, "syncedAt": None},
    "url": "https://shop.example.com/help/invoices",
    "version": 1,
    "size": 41,
    "digest": hashlib.sha256(_TEXT.encode()).hexdigest(),
    "createdAt": _AT,
    "updatedAt": _AT,
    "indexedAt": _AT + 900,
    "createdBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "createdByName": "Ada Lovelace",
    "updatedBy": None,
    "updatedByName": None,
    "published": True,
    "slug": "webhook-signatures",
    "aliases": ["receipt", "proof of payment"],
}

_CONVERSATION = "conv_01jd3kq8v5zt4m9rx2c7w6ybne"
_ASKED = "Where do I find my invoices?"
_SUGGESTION: dict[str, Any] = {
    "id": "sug_01jd3s9t2x6h0k3m5n8p1q4r7v",
    "kind": "new",
    "status": "pending",
    "title": _ASKED,
    "body": _TEXT,
    "alias": None,
    "targetDocId": None,
    "baseVersion": None,
    "conversationId": _CONVERSATION,
    "conversationSubject": _ASKED,
    "evidence": [{"conversationId": _CONVERSATION, "question": _ASKED, "at": _AT}],
    "suggestedAt": _AT + 60_000,
    "decidedAt": None,
    "decidedBy": None,
    "decidedByName": None,
    "documentId": None,
    "answersNow": None,
    "searches": 4,
}
_ACCEPTED = {
    **_SUGGESTION,
    "status": "accepted",
    "decidedAt": _AT + 90_000,
    "decidedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "decidedByName": "Ada Lovelace",
    "documentId": DOCUMENT,
}
SUGGESTED_QUESTION = {"suggestionId": _SUGGESTION["id"], "question": _ASKED, "at": _AT}

BODIES: dict[str, Any] = {
    "createDocument": {"title": "Invoices", "body": _TEXT},
    "addAlias": {"alias": "receipt"},
    "updateDocument": {"body": "Your invoices are under Account, Invoices.", "version": 1},
    "acceptSuggestion": {"title": "Invoices"},
    "createFolder": {"name": "Payment"},
    "updateFolder": {"name": "Payments"},
    "orderFolders": {"ids": [_OTHER_FOLDER, _FOLDER]},
}

ANSWERS: dict[str, Any] = {
    "createDocument": {"id": DOCUMENT},
    "listDocuments": {"documents": [_LISTED], "nextCursor": None},
    "getDocument": {"document": {**_LISTED, "body": _TEXT}},
    "updateDocument": {
        "document": {
            **_LISTED,
            "status": "indexing",
            "version": 2,
            "size": 42,
            "updatedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
            "updatedByName": "Ada Lovelace",
            "published": True,
            "slug": "webhook-signatures",
        },
    },
    "addAlias": {"document": {**_LISTED, "status": "indexing", "version": 2}},
    "deleteDocument": _OK,
    "listFolders": {
        "folders": [
            {
                "id": _OTHER_FOLDER,
                "name": "Delivery",
                "parentId": None,
                "position": 0,
                "documents": 4,
                "published": False,
            },
            {
                "id": _FOLDER,
                "name": "Payment",
                "parentId": None,
                "position": 1,
                "documents": 12,
                "published": False,
            },
        ],
    },
    "listSuggestions": {"suggestions": [_SUGGESTION], "nextCursor": None},
    "getSuggestion": {"suggestion": {**_ACCEPTED, "answersNow": {"answered": 1, "of": 1}}},
    "acceptSuggestion": {"suggestion": _ACCEPTED},
    "dismissSuggestion": _OK,
    "createFolder": {"id": _FOLDER},
    "updateFolder": _OK,
    "deleteFolder": _OK,
    "orderFolders": _OK,
}
