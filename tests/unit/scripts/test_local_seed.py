"""What a start of the local stack stores once."""

from collections.abc import Mapping
from typing import Any

import pytest

from scripts.local import seed
from scripts.local.progress import Progress
from scripts.local.settings import StackSettings, settings_for


def test_a_guide_that_is_older_than_many_documents_is_not_stored_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored: list[str] = []
    pages = {"": [f"Page {number}" for number in range(200)], "a b": ["Webhook signatures", "Webhooks"]}

    def call(
        _settings: StackSettings, _key: str, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        if method == "POST" and body is not None:
            stored.append(body.get("title") or body["name"])
            return 200, {"id": "doc_1"}
        if path == "/v1/knowledge/folders":
            return 200, {"folders": []}
        cursor = "a b" if path.endswith("&cursor=a%20b") else ""
        titles = [{"title": title} for title in pages[cursor]]
        return 200, {"documents": titles, "nextCursor": None if cursor else "a b"}

    monkeypatch.setattr(seed, "call", call)
    guides = ("webhooks.md", "webhook-signatures.md", "webhook-history.md")
    seed._load_guides(settings_for(4600, guides=guides), "key", Progress())

    assert stored == [
        "Webhooks",
        "Webhook history, tests and missed events",
    ]  # the folder, and the guide that is missing
