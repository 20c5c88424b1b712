"""The bytes of files, in S3."""

from typing import Any
from urllib.parse import quote

from botocore.exceptions import ClientError

from helpdesk.files.errors import MAX_FILE_BYTES
from helpdesk.files.sniffing import REFUSED_TYPES, SNIFFED_BYTES, essence
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

UPLOAD_SECONDS = 3_600
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


def put(organization: str, file_id: str, content: bytes) -> None:
    """Store a file's bytes."""
    clients.s3().put_object(
        Bucket=settings().files_bucket, Key=_key(organization, file_id), Body=content, ContentType=_UNTYPED
    )


def form(organization: str, file_id: str) -> tuple[str, dict[str, str]]:
    """Return the address and fields of a form by which a client sends the bytes straight to S3.

    S3 itself holds the content to between 1 byte and the limit.
    """
    made: dict[str, Any] = clients.s3().generate_presigned_post(
        settings().files_bucket,
        _key(organization, file_id),
        Fields={"Content-Type": _UNTYPED},
        Conditions=[{"Content-Type": _UNTYPED}, ["content-length-range", 1, MAX_FILE_BYTES]],
        ExpiresIn=UPLOAD_SECONDS,
    )
    return made["url"], made["fields"]


def beginning(organization: str, file_id: str) -> tuple[bytes, int] | None:
    """Return a file's first bytes and its whole size, or None where nothing was uploaded."""
    try:
        answer = clients.s3().get_object(
            Bucket=settings().files_bucket,
            Key=_key(organization, file_id),
            Range=f"bytes=0-{SNIFFED_BYTES - 1}",
        )
    except ClientError as error:
        if error.response["Error"]["Code"] in {"NoSuchKey", "404"}:
            return None
        raise
    size = int(answer["ContentRange"].rpartition("/")[2])
    return answer["Body"].read(), size


def address(organization: str, file_id: str, name: str, media_type: str) -> str:
    """Return a short-lived address of a file that no browser runs.

    Pictures, sound, film and plain text are shown; the rest is a download of no particular type.
    """
    shown = essence(media_type) in _SHOWN and essence(media_type) not in REFUSED_TYPES
    disposition = "inline" if shown else "attachment"
    return clients.s3().generate_presigned_url(
        "get_object",
        Params={
            "Bucket": settings().files_bucket,
            "Key": _key(organization, file_id),
            "ResponseContentDisposition": f"{disposition}; filename*=UTF-8''{quote(name, safe='')}",
            "ResponseContentType": essence(media_type) if shown else _UNTYPED,
        },
        ExpiresIn=DOWNLOAD_SECONDS,
    )


def delete(organization: str, file_id: str) -> None:
    """Remove a file's bytes; nothing happens where there are none."""
    clients.s3().delete_object(Bucket=settings().files_bucket, Key=_key(organization, file_id))


def _key(organization: str, file_id: str) -> str:
    return f"{organization}/{file_id}"
