"""The images of a report: uploads by id, links, and what the customer sent in the conversation."""

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from helpdesk.conversations.files import service as files
from helpdesk.conversations.files.errors import MAX_NAME_CHARACTERS
from helpdesk.conversations.files.service import NO_ATTACHMENTS, Attachments
from helpdesk.conversations.message_record import Message
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name
from helpdesk.signals.errors import MAX_IMAGES, MAX_URL_CHARACTERS
from helpdesk.signals.record import Image
from helpdesk.signals.schemas import ImageInput


class Images(Record):
    """The images that a report sends. `uploads` are the files that it attaches, and `shown` all of them in order."""

    shown: tuple[Image, ...] = ()
    uploads: Attachments = NO_ATTACHMENTS


def checked(organization: str, sent: Sequence[ImageInput] | None) -> Images:
    """Return the images that a report names. A link to an uploaded file counts as the upload.

    Raises InvalidRequest, AttachmentMissing, AttachmentWrongType.
    """
    if not sent:
        return Images()
    if len(sent) > MAX_IMAGES:
        raise InvalidRequest(f"`images` must have at most {MAX_IMAGES} images.")
    for number, each in enumerate(sent):
        if (each.id is None) == (each.url is None):
            raise InvalidRequest(f"`images[{number}]` must have either the `id` of an upload or a `url`.")
    ids = [each.id or files.id_of(organization, each.url or "") for each in sent]
    uploads = files.attached(
        organization,
        [(file_id, each.name or "") for file_id, each in zip(ids, sent, strict=True) if file_id is not None],
    )
    attached = iter(uploads.shown)
    shown: list[Image] = []
    for number, (file_id, each) in enumerate(zip(ids, sent, strict=True)):
        if file_id is None:
            shown.append(_linked(number, each.url or "", each.name))
            continue
        file = next(attached)
        if not file.type.startswith("image/"):
            raise InvalidRequest(f"`images[{number}]` must be an image. This file is {file.type}.")
        shown.append(Image(file.url, file.name, external=False, file_id=file_id))
    return Images(tuple(shown), uploads)


def screenshots(messages: Sequence[Message]) -> tuple[Image, ...]:
    """Return the images that the customer sent among messages, which are newest first: oldest first, six at most."""
    found = [
        Image(file.url, file.name, external=False)
        for message in reversed(messages)
        if message.by_visitor
        for file in message.attachments
        if file.type.startswith("image/")
    ]
    return tuple(found[:MAX_IMAGES])


def joined(*groups: Sequence[Image]) -> tuple[Image, ...]:
    """Return images of several groups in their order, each address once, six at most."""
    by_url: dict[str, Image] = {}
    for group in groups:
        for image in group:
            by_url.setdefault(image.url, image)
    return tuple(by_url.values())[:MAX_IMAGES]


def merged(seen: Sequence[Image], moved: Sequence[Image]) -> tuple[Image, ...]:
    """Return the images of the same reporter of two signals: six at most, and all that were uploaded for a report.

    An upload that no report names could not be removed with the customer.
    """
    kept = joined(seen, moved)
    return kept + tuple(
        each for each in moved if each.file_id is not None and each.url not in {image.url for image in kept}
    )


def _linked(number: int, url: str, name: str | None) -> Image:
    try:
        parts = urlsplit(url)
        valid = parts.scheme == "https" and bool(parts.hostname) and url.isprintable() and " " not in url
    except ValueError:
        valid = False
    if not valid or len(url) > MAX_URL_CHARACTERS:
        raise InvalidRequest(
            f"`images[{number}].url` must be an https address of at most {MAX_URL_CHARACTERS:,} characters."
        )
    last = unquote(urlsplit(url).path.rpartition("/")[2])
    return Image(url, as_name(name or last, MAX_NAME_CHARACTERS) or "image", external=True)
