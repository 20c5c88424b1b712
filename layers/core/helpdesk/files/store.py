"""The bytes of files, in S3.

Bytes that a client sends straight to S3 arrive under `incoming/`, where the form's holder can replace them for as long
as the form is valid. What a message attaches is copied from there to a key that no form leads to.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from botocore.exceptions import ClientError

from helpdesk.files.errors import MAX_FILE_BYTES
from helpdesk.files.sniffing import REFUSED_TYPES, SNIFFED_BYTES, essence
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.platform.units import HOUR_SECONDS

UPLOAD_SECONDS = HOUR_SECONDS
DOWNLOAD_SECONDS = 300

# What a browser shows and does not run. Everything else is handed out as a download.
_SHOWN = {
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
    "text/plain",
}
_UNTYPED = "application/octet-stream"

_ABSENT = {"NoSuchKey", "404"}
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first SNIFFED_BYTES of a file, its whole size in bytes, and the mark by which S3 tells contents apart."""

    content: bytes
    size: int
    etag: str


def put(organization: str, file_id: str, content: bytes) -> None:
    """Store the bytes of a file that came as the body of a request."""
    clients.s3().put_object(
        Bucket=settings().files_bucket, Key=_kept(organization, file_id), Body=content, ContentType=_UNTYPED
    )


def form(organization: str, file_id: str) -> tuple[str, dict[str, str]]:
    """Return the address and fields of a form by which a client sends the bytes straight to S3.

    S3 itself holds the content to between 1 byte and the limit.
    """
    made: dict[str, Any] = clients.s3().generate_presigned_post(
        settings().files_bucket,
        _incoming(organization, file_id),
        Fields={"Content-Type": _UNTYPED},
        Conditions=[{"Content-Type": _UNTYPED}, ["content-length-range", 1, MAX_FILE_BYTES]],
        ExpiresIn=UPLOAD_SECONDS,
    )
    return made["url"], made["fields"]


def incoming(organization: str, file_id: str) -> Beginning | None:
    """Return the beginning of what was sent with a file's form, or None where nothing was."""
    return _beginning(_incoming(organization, file_id))


def kept(organization: str, file_id: str) -> Beginning | None:
    """Return the beginning of what is kept of a file, or None where nothing is."""
    return _beginning(_kept(organization, file_id))


def keep(organization: str, file_id: str, etag: str) -> bool:
    """Copy what was sent with a file's form to where no form leads; return whether that is what `etag` names.

    Nothing is copied where other bytes came since they were read, nor where a copy is kept already: what a message
    attached stays what it was.
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


def _beginning(key: str) -> Beginning | None:
    try:
        answer = clients.s3().get_object(
            Bucket=settings().files_bucket,
            Key=key,
            Range=f"bytes=0-{SNIFFED_BYTES - 1}",
        )
    except ClientError as error:
        if error.response["Error"]["Code"] in _ABSENT:
            return None
        raise
    size = int(answer["ContentRange"].rpartition("/")[2])
    return Beginning(answer["Body"].read(), size, answer["ETag"])


def address(organization: str, file_id: str, name: str, media_type: str) -> str:
    """Return a short-lived address of a kept file that no browser runs.

    Pictures, sound, film and plain text are shown; the rest is a download of no particular type.
    """
    shown = essence(media_type) in _SHOWN and essence(media_type) not in REFUSED_TYPES
    return _address(_kept(organization, file_id), name, essence(media_type) if shown else None)


def incoming_address(organization: str, file_id: str, name: str) -> str:
    """Return a short-lived address of what was sent with a file's form and never looked at: a download."""
    return _address(_incoming(organization, file_id), name, None)


def _address(key: str, name: str, shown: str | None) -> str:
    disposition = "inline" if shown else "attachment"
    return clients.s3().generate_presigned_url(
        "get_object",
        Params={
            "Bucket": settings().files_bucket,
            "Key": key,
            "ResponseContentDisposition": f"{disposition}; filename*=UTF-8''{quote(name, safe='')}",
            "ResponseContentType": shown or _UNTYPED,
        },
        ExpiresIn=DOWNLOAD_SECONDS,
    )


def delete(organization: str, file_id: str) -> None:
    """Remove a file's bytes, wherever they are; nothing happens where there are none."""
    for key in (_incoming(organization, file_id), _kept(organization, file_id)):
        clients.s3().delete_object(Bucket=settings().files_bucket, Key=key)


def _incoming(organization: str, file_id: str) -> str:
    # The bucket's lifecycle removes what stays under this prefix (template.yaml, FilesBucket).
    return f"incoming/{organization}/{file_id}"


def _kept(organization: str, file_id: str) -> str:
    return f"{organization}/{file_id}"
