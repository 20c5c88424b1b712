"""The calls to AWS of each route of signals, as docs/access-patterns.md states them."""

from typing import Any

from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.signals import conversation, filed


def test_the_calls_of_each_route(api: Client) -> None:
    asked = conversation(api)
    signal, duplicate = filed(api, "One"), filed(api, "Two", who="Grace")
    commit = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}

    def calls(method: str, url: str, body: Any = None) -> int:
        with recorded_calls() as made:
            answer = api.request(method, f"/v1/signals{url}", body)
        assert answer.status == 200, answer.body
        return len(made)

    assert {
        "list": calls("GET", ""),
        "filtered": calls("GET", "?kind=bug"),
        "file": calls("POST", "", {"kind": "bug", "title": "Three"}),
        "file from a conversation": calls("POST", "", {"kind": "bug", "title": "4", "conversationId": asked}),
        "read": calls("GET", f"/{signal}"),
        "change": calls("PATCH", f"/{signal}", {"status": "planned"}),
        "change nothing": calls("PATCH", f"/{signal}", {"status": "planned"}),
        "rename": calls("PATCH", f"/{signal}", {"title": "Five"}),
        "report": calls("POST", f"/{signal}/reports", {"who": "Ada"}),
        "commit": calls("POST", f"/{signal}/commits", commit),
        "merge": calls("POST", f"/{signal}/merge", {"duplicateId": duplicate}),
    } == {  # where a signal is returned, with one for the names of who did something
        "list": 3,
        "filtered": 3,
        "file": 2,
        "file from a conversation": 5,
        "read": 5,
        "change": 4,
        "change nothing": 3,
        "rename": 5,
        "report": 5,
        "commit": 4,
        "merge": 19,
    }
