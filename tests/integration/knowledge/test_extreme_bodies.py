"""The largest bodies of anything are stored, indexed and read. The short form tries a tenth of their size."""

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index, retrieval
from helpdesk.search.embeddings.minilm import DIMENSIONS, MiniLm
from helpdesk.search.embeddings.multilingual import Multilingual
from tests.support import effort
from tests.support.api import Client, gateway_event, invoke
from tests.support.knowledge import add, read, work

LARGEST = 900_000  # bytes
SIZE = effort.of(LARGEST // 10, LARGEST)
MOST_TEXTS = 10_000
"""The vectors that five runs of 300 s make of one document, at a tenth of a second each."""
MOST_BYTES = 6 * 1024 * 1024
"""Of a function's result."""


def nested_list() -> str:
    lines, room, level = [], SIZE, 0
    while room > 2 * level + 8:
        lines.append(" " * (2 * level) + "- point\n")
        room -= 2 * level + 8
        level += 1
    return "".join(lines) + "." * room


BODIES = {
    "control characters after a word": "a" + "\x01" * (SIZE - 1),
    "vertical tabs after a word": "a" + "\x0b" * (SIZE - 1),
    "delete characters after a word": "a" + "\x7f" * (SIZE - 1),
    "separators of files": "a" + "\x1c" * (SIZE - 1),
    "null characters between words": "\x00word " * (SIZE // 6),
    "quotation marks": '"' * SIZE,
    "backslashes": "\\" * SIZE,
    "one line of one word": "a" * SIZE,
    "one line of words": "refund " * (SIZE // 7),
    "lines of one letter": "a\n" * (SIZE // 2),
    "emoji": "\U0001f600" * (SIZE // 4),
    "right-to-left marks and letters": "\u200fא" * (SIZE // 5),
    "a deep list": nested_list(),
    "list marks on one line": "- " * (SIZE // 2 - 1) + "a",
    "quotes on one line": "> " * (SIZE // 2 - 1) + "a",
    "headings without text": "# a\n" * (SIZE // 4),
    "a heading of one line": "# " + "a " * (SIZE // 2 - 1),
    "open fences": "```\n" * (SIZE // 4),
    "open brackets": "[" * SIZE,
    "open links": "[](" * (SIZE // 3),
    "open comments": "<!--" * (SIZE // 4),
    "open tags": "<" * SIZE,
    "images": "![a](b) " * (SIZE // 8),
    "table rows": "|a|b|\n" * (SIZE // 6),
}


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of texts that are embedded, by models that take no time: the real ones take minutes for all."""
    made: list[str] = []

    def question(_: MiniLm, text: str) -> Any:
        made.append(text)
        return np.eye(1, DIMENSIONS, dtype=np.float32)[0]

    def passages(_: Multilingual, texts: Sequence[str]) -> Any:
        return np.eye(1, 2, dtype=np.float32).repeat(len(texts), axis=0)

    monkeypatch.setattr(MiniLm, "question", question)
    monkeypatch.setattr(Multilingual, "passages", passages)
    return made


@pytest.mark.parametrize("name", BODIES)
def test_a_body_of_any_text_is_indexed_read_and_searched(
    api: Client, organization: NewOrganization, embedded: list[str], name: str
) -> None:
    body = BODIES[name]
    assert SIZE - 10 < len(body.encode()) <= SIZE
    document_id = add(api, "Refund", body)
    started = time.process_time()
    assert work() == {"batchItemFailures": []}
    assert time.process_time() - started < 20
    assert len(embedded) <= MOST_TEXTS

    headers = {"Authorization": f"Bearer {api.credential}"}
    answer = invoke(gateway_event("GET", f"/v1/knowledge/documents/{document_id}", headers=headers))
    assert answer["statusCode"] == 200
    assert len(json.dumps(answer, ensure_ascii=False).encode()) < MOST_BYTES
    document = json.loads(answer["body"])["document"]
    assert (document["status"], document["size"]) == ("ready", len(body.encode()))
    assert len(document["body"]) == len(body)
    assert retrieval.find(organization.organization_id, "refund") is not None


@pytest.mark.parametrize("body", ["\x01\x02 text \x0b\x00", "a\tb\r\nc\u2028d\x7f\x9f", '"\\/\b\f'])
def test_a_text_comes_back_exactly_as_it_was_sent(api: Client, body: str) -> None:
    assert read(api, add(api, "Bytes", body))["body"] == body


def test_control_characters_that_fill_a_body_come_back_as_replacement_characters(api: Client) -> None:
    document = read(api, add(api, "Bytes", "a\n" + "\x01" * (LARGEST - 2)))
    assert document["body"] == "a\n" + "\ufffd" * (LARGEST - 2)
    assert document["size"] == LARGEST
