"""Looking for words that belong to a person: in the table, in buckets and queues, in whatever was logged."""

import gzip
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tantivy
from moto.sqs.models import sqs_backends

from helpdesk.platform import clients
from helpdesk.platform.logging import logger
from helpdesk.search.s3_index import directory, store
from helpdesk.search.s3_index.manifest import Manifest
from helpdesk.search.s3_index.store import IndexLocation
from tests.support import table as whole_table

ACCOUNT, REGION = "123456789012", "eu-west-1"
BUCKETS = ("helpdesk-knowledge", "helpdesk-files", "helpdesk-search")


class Logged:
    """What was logged since, as it is written."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.sent: list[str] = []
        """The bodies of all messages that were sent to queues."""

    @property
    def text(self) -> str:
        """Everything, as one text."""
        return self.stream.getvalue()


@contextmanager
def logged() -> Iterator[Logged]:
    """Keep every line that any library logs, as on a function whose level is DEBUG, and what is sent to queues."""
    kept = Logged()
    root, own = logging.getLogger(), logger._logger  # what Powertools writes with
    everything = logging.StreamHandler(kept.stream)
    everything.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s %(exc_text)s"))
    before = (root.level, own.level, own.handlers[0].stream)  # type: ignore[attr-defined] # a StreamHandler
    root.addHandler(everything)
    root.setLevel(logging.DEBUG)
    own.setLevel(logging.DEBUG)
    own.handlers[0].setStream(kept.stream)  # type: ignore[attr-defined]

    def sent(params: dict[str, Any], **_: Any) -> None:
        kept.sent.append(json.dumps(params, default=str))

    events = clients.sqs().meta.events
    for operation in ("SendMessage", "SendMessageBatch"):
        events.register(f"before-parameter-build.sqs.{operation}", sent)
    try:
        yield kept
    finally:
        for operation in ("SendMessage", "SendMessageBatch"):
            events.unregister(f"before-parameter-build.sqs.{operation}", sent)
        root.removeHandler(everything)
        root.setLevel(before[0])
        own.setLevel(before[1])
        own.handlers[0].setStream(before[2])  # type: ignore[attr-defined]


def in_the_table(words: list[str]) -> list[str]:
    """Return `word in item` for every item of the table in which one of the words occurs."""
    items = [
        (item, json.dumps(item, default=str, ensure_ascii=False).lower()) for item in whole_table.everything()
    ]
    return [
        f"{word} in {item['PK']} {item['SK']}"
        for item, text in items
        for word in words
        if word.lower() in text
    ]


def in_buckets(words: list[str]) -> list[str]:
    """Return `word in object` for every object whose name, bytes or unpacked bytes hold one of the words."""
    found = []
    for bucket in BUCKETS:
        for page in clients.s3().get_paginator("list_objects_v2").paginate(Bucket=bucket):
            for entry in page.get("Contents", []):
                content = clients.s3().get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
                text = (entry["Key"].encode() + content + _unpacked(content)).lower()
                found += [f"{word} in {entry['Key']}" for word in words if word.lower().encode() in text]
    return found


def in_the_index(organization: str, terms: list[str]) -> list[str]:
    """Return the terms that any segment of an organization's index has, including those of deleted documents.

    The library packs its terms, so a search through the bytes does not find them: the library itself is asked.
    """
    location = IndexLocation("helpdesk-search", f"{organization}/search/v3")
    manifest = store.load(location, Manifest())
    if manifest.empty:
        return []
    with TemporaryDirectory() as home:
        write_files(location, manifest, Path(home))
        searcher = tantivy.Index.open(home).searcher()
        return [term for term in terms if searcher.doc_freq("words", term)]


def write_files(location: IndexLocation, manifest: Manifest, path: Path) -> None:
    """Write every file of an index into a directory, so that the library can open it there."""
    for bundle in manifest.bundles:
        for name, chunks in store.fetch(location, bundle):
            (path / name).write_bytes(b"".join(chunks))
    directory.write_state(path, manifest.state)


def in_queues(words: list[str]) -> list[str]:
    """Return `word in queue` for every message with one of the words: waiting, delayed or dead letter."""
    found = []
    for queue in sqs_backends[ACCOUNT][REGION].queues.values():
        for message in queue._messages:  # nothing else shows delayed messages
            found += [
                f"{word} in {queue.name}" for word in words if word.lower() in str(message.body).lower()
            ]
    return found


def _unpacked(content: bytes) -> bytes:
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else b""
