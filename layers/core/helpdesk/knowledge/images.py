"""Images of mirrored repositories, in S3 beside the texts of documents.

An image is kept under its mirror and its path, so a newer one replaces it. Which documents show it is in their texts.
"""

from helpdesk.platform import clients
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings
from helpdesk_files.paths import SourcePath

_ENDS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
_NAME_CHARACTERS = 40
_BEGINNINGS = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
)


def is_image(path: str) -> bool:
    """Return whether a file is mirrored as an image, by its name. SVG is none: it can hold scripts, as HTML can."""
    return path.lower().endswith(_ENDS)


def type_of(content: bytes) -> str | None:
    """Return the media type of an image by its first bytes; None for what a browser would not show as one."""
    for at, beginning, media_type in _BEGINNINGS:
        if content.startswith(beginning, at):
            return media_type
    return None


def name_of(path: str) -> str:
    """Return the name of an image in addresses: 40 digits in hexadecimal, from its path in the repository."""
    return sha256_hex(str(SourcePath.parsed(path)))[:_NAME_CHARACTERS]


def write(organization: str, mirror_id: str, path: str, content: bytes) -> None:
    """Store an image, in the place of an earlier one. One call."""
    clients.s3().put_object(
        Bucket=settings().knowledge_bucket, Key=_key(organization, mirror_id, name_of(path)), Body=content
    )


def delete(organization: str, mirror_id: str, path: str) -> None:
    """Delete an image, if there is one. One call."""
    clients.s3().delete_object(
        Bucket=settings().knowledge_bucket, Key=_key(organization, mirror_id, name_of(path))
    )


def read(organization: str, mirror_id: str, name: str) -> bytes | None:
    """Return an image by its name; None if there is none. One call."""
    s3 = clients.s3()
    try:
        stored = s3.get_object(Bucket=settings().knowledge_bucket, Key=_key(organization, mirror_id, name))
    except s3.exceptions.NoSuchKey:
        return None
    return stored["Body"].read()


def _key(organization: str, mirror_id: str, name: str) -> str:
    return f"{organization}/images/{mirror_id}/{name}"
