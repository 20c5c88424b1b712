"""The texts of documents, in S3, because they are too large for an item of the table.

A text is never overwritten. Each revision of a document has its own object, which the record names. So a record always
leads to its own text, even after a crash.
"""

from collections.abc import Iterable

from helpdesk.platform import clients
from helpdesk.platform.settings import settings


class TextMissing(Exception):
    """A record names a text that is not there."""


def key_of(organization: str, document_id: str, revision: str) -> str:
    """Return the object key of one revision of a document's text."""
    return f"{organization}/documents/{document_id}/{revision}.md"


def write(key: str, text: bytes) -> None:
    """Store a text. One call."""
    clients.s3().put_object(
        Bucket=settings().knowledge_bucket,
        Key=key,
        Body=text,
        ContentType="text/markdown; charset=utf-8",
    )


def delete(keys: Iterable[str]) -> None:
    """Delete texts, if they exist, and what was made of them. One call each."""
    for key in keys:
        clients.s3().delete_objects(
            Bucket=settings().knowledge_bucket,
            Delete={"Objects": [{"Key": key}, {"Key": _derived(key)}], "Quiet": True},
        )


def read(key: str) -> str:
    """Return a text. One call. Raises TextMissing."""
    s3 = clients.s3()
    try:
        stored = s3.get_object(Bucket=settings().knowledge_bucket, Key=key)
    except s3.exceptions.NoSuchKey:
        raise TextMissing from None
    return stored["Body"].read().decode()


def write_derived(key: str, content: bytes) -> None:
    """Store what was made of a text, beside it. One call."""
    clients.s3().put_object(
        Bucket=settings().knowledge_bucket, Key=_derived(key), Body=content, ContentType="application/json"
    )


def read_derived(key: str) -> bytes | None:
    """Return what was made of a text; None if nothing is there. One call."""
    s3 = clients.s3()
    try:
        stored = s3.get_object(Bucket=settings().knowledge_bucket, Key=_derived(key))
    except s3.exceptions.NoSuchKey:
        return None
    return stored["Body"].read()


def _derived(key: str) -> str:
    return f"{key}.html"
