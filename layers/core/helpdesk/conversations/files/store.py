"""The bytes of files, in S3.

A client that uploads directly to S3 writes to `incoming/`, and can replace the bytes while its form is valid. Attaching
the file copies them to a key that no form can write.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from botocore.exceptions import ClientError

from helpdesk.conversations.files.errors import MAX_FILE_BYTES
from helpdesk.conversations.files.media_types import (
    PLAIN_TEXT,
    REFUSED_TYPES,
    SNIFFED_BYTES,
    UNTYPED,
    essence,
)
from helpdesk.platform import clients
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.platform.units import HOUR_SECONDS

UPLOAD_SECONDS = HOUR_SECONDS
DOWNLOAD_SECONDS = 300

# What a browser displays without running it. Everything else is a download.
_DISPLAYED = {
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/bmp",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "video/mp4",
    "video/webm",
    PLAIN_TEXT,
}

_ABSENT = {"NoSuchKey", "404"}
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}


class Content(Record):
    """What was read of a file, from its beginning; its whole size in bytes, and its ETag."""

    beginning: bytes
    size: int
    etag: str

    @property
    def is_complete(self) -> bool:
        """Whether the whole file was read."""
        return len(self.beginning) == self.size


def put(organization: str, file_id: str, content: bytes) -> None:
    """Store the bytes of a file that a request carried in its body."""
    clients.s3().put_object(
        Bucket=settings().files_bucket, Key=_kept(organization, file_id), Body=content, ContentType=UNTYPED
    )


def upload_form(organization: str, file_id: str) -> tuple[str, dict[str, str]]:
    """Return the URL and fields of a form with which a client uploads the bytes to S3 (presigned POST).

    S3 enforces a size between 1 byte and the limit.
    """
    form: dict[str, Any] = clients.s3().generate_presigned_post(
        settings().files_bucket,
        _incoming(organization, file_id),
        Fields={"Content-Type": UNTYPED},
        Conditions=[{"Content-Type": UNTYPED}, ["content-length-range", 1, MAX_FILE_BYTES]],
        ExpiresIn=UPLOAD_SECONDS,
    )
    return form["url"], form["fields"]


def incoming(organization: str, file_id: str, *, whole: bool = False) -> Content | None:
    """Return the first SNIFFED_BYTES of a file's unchecked upload, or all of it; None if there is none."""
    return _content(_incoming(organization, file_id), whole=whole)


def kept(organization: str, file_id: str, *, whole: bool = False) -> Content | None:
    """Return the first SNIFFED_BYTES of a file's checked copy, or all of it; None if there is none."""
    return _content(_kept(organization, file_id), whole=whole)


def keep(organization: str, file_id: str, etag: str) -> bool:
    """Copy a file's upload to the key that no form can write; return whether the copy was made.

    Nothing is copied if the upload no longer has this ETag, or if there is a copy already: the content of an attached
    file never changes.
    """
    bucket = settings().files_bucket
    try:
        clients.s3().copy_object(
            Bucket=bucket,
            Key=_kept(organization, file_id),
            CopySource={"Bucket": bucket, "Key": _incoming(organization, file_id)},
            CopySourceIfMatch=etag,
            IfNoneMatch="*",
        )
    except ClientError as error:
        if error.response["Error"]["Code"] in _CHANGED | _ABSENT:
            return False
        raise
    return True


def _content(key: str, *, whole: bool) -> Content | None:
    read = f"bytes=0-{(MAX_FILE_BYTES if whole else SNIFFED_BYTES) - 1}"
    answer = _unless_absent(
        lambda: clients.s3().get_object(Bucket=settings().files_bucket, Key=key, Range=read)
    )
    if answer is None:
        return None
    size = int(answer["ContentRange"].rpartition("/")[2])
    return Content(answer["Body"].read(), size, answer["ETag"])


def _unless_absent[T](ask: Callable[[], T]) -> T | None:
    """Return what S3 answers about an object, None if there is none."""
    try:
        return ask()
    except ClientError as error:
        if error.response["Error"]["Code"] in _ABSENT:
            return None
        raise


def download_url(
    organization: str, file_id: str, name: str, media_type: str, charset: str | None = None
) -> str:
    """Return a short-lived URL of a checked file.

    Browsers display images, audio, video and plain text. Everything else is a download without a specific type.
    """
    shown = essence(media_type)
    displayed = shown in _DISPLAYED and shown not in REFUSED_TYPES
    if charset is not None:
        shown += f"; charset={charset}"
    return _presigned_url(_kept(organization, file_id), name, shown if displayed else None)


def unchecked_download_url(organization: str, file_id: str, name: str) -> str:
    """Return a short-lived URL of a file's unchecked upload, always as a download."""
    return _presigned_url(_incoming(organization, file_id), name, None)


def _presigned_url(key: str, name: str, displayed_type: str | None) -> str:
    disposition = "inline" if displayed_type else "attachment"
    return clients.s3().generate_presigned_url(
        "get_object",
        Params={
            "Bucket": settings().files_bucket,
            "Key": key,
            "ResponseContentDisposition": f"{disposition}; filename*=UTF-8''{quote(name, safe='')}",
            "ResponseContentType": displayed_type or UNTYPED,
        },
        ExpiresIn=DOWNLOAD_SECONDS,
    )


def delete(organization: str, file_id: str) -> None:
    """Remove a file's bytes, checked and unchecked. Nothing happens if there are none."""
    for key in (_incoming(organization, file_id), _kept(organization, file_id)):
        clients.s3().delete_object(Bucket=settings().files_bucket, Key=key)


def _incoming(organization: str, file_id: str) -> str:
    # The bucket's lifecycle rule expires objects under this prefix (template.yaml, FilesBucket).
    return f"incoming/{organization}/{file_id}"


def _kept(organization: str, file_id: str) -> str:
    return f"{organization}/{file_id}"


def incoming_mail(key: str) -> bytes | None:
    """Return a mail as it came in, None if it is gone: a lifecycle rule removes it after 30 days."""
    answer = _unless_absent(lambda: clients.s3().get_object(Bucket=settings().files_bucket, Key=key))
    return None if answer is None else answer["Body"].read()


def has_incoming_mail(key: str) -> bool:
    """Return whether a mail is still there."""
    found = _unless_absent(lambda: clients.s3().head_object(Bucket=settings().files_bucket, Key=key))
    return found is not None


def incoming_mail_url(key: str, name: str) -> str:
    """Return a short-lived URL of a mail, always as a download: a browser must not show its HTML."""
    return _presigned_url(key, f"{name}.eml", None)


def delete_incoming_mail(key: str) -> None:
    """Remove a mail. Nothing happens if it is gone."""
    clients.s3().delete_object(Bucket=settings().files_bucket, Key=key)
