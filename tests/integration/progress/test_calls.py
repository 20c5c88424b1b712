"""What the routes of the task board cost in calls (docs/access-patterns.md)."""

from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.cards import adopt, file


def test_each_route_makes_the_calls_that_the_page_says(api: Client) -> None:
    signal = file(api)
    adopt(api, signal)
    other, third = file(api, "Two"), file(api, "Three")
    api.post("/v1/tasks", {"title": "Own"})
    commit = {"sha": "ab" * 20, "message": "See ORG-1", "url": "https://git.example.com/1", "author": "Ada"}
    added = api.post(f"/v1/signals/{signal}/commits", commit).body["id"]
    ids = {task["key"]: task["id"] for task in api.get("/v1/tasks").body["tasks"]}
    report = {"repo": "a/b", "commits": [{"sha": "ab" * 20, "message": "See ORG-1"}]}
    card = f"/v1/tasks/{ids['ORG-1']}"
    found = {}
    for name, method, path, body in (
        ("column", "GET", "/v1/tasks?status=planned", None),
        ("requests", "GET", "/v1/tasks/requests", None),
        ("card", "GET", card, None),
        ("new", "POST", "/v1/tasks", {"title": "New"}),
        ("change", "PATCH", card, {"title": "Other"}),
        ("place", "PATCH", card, {"after": ids["ORG-2"]}),
        ("adopt", "POST", "/v1/tasks/adopt", {"signalId": other}),
        ("commits", "POST", "/v1/commits", report),
        ("commits again", "POST", "/v1/commits", report),
        ("commits of a card", "POST", f"/v1/tasks/{ids['ORG-2']}/commits", report),
        ("move", "PATCH", card, {"status": "in_progress"}),
        ("apply", "POST", f"/v1/signals/{signal}/commits/{added}/apply", None),
        ("decline a signal", "POST", f"/v1/tasks/{third}/decline", None),
        ("delete", "DELETE", card, None),
    ):
        with recorded_calls() as calls:
            assert api.request(method, path, body).status == 200, name
        found[name] = len(calls)

    # Where a signal or a card is returned, one of them is for the names of who did something.
    assert found == {
        "column": 5,
        "requests": 3,
        "card": 7,
        "new": 5,
        "change": 6,
        "place": 8,
        "adopt": 6,
        "commits": 7,
        "commits again": 6,
        "commits of a card": 6,
        "move": 8,
        "apply": 6,
        "decline a signal": 4,
        "delete": 8,
    }
