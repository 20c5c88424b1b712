"""Request and response schemas of uploads."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, OneTimeSecret, Query, schema_hint
from helpdesk.conversations.files.errors import MAX_FILE_BYTES


class UploadQuery(Query):
    """The parameters of an upload whose body is the file itself."""

    name: str | None = None
    """The file's name, cut to 200 characters; `file` by default. With it, the body is the file, even if it is JSON."""


class UploadRequest(Body):
    """An announced upload: the response has the form that uploads its bytes. `size` is in bytes."""

    name: str
    """Cut to 200 characters."""
    type: str
    """The media type, such as `image/png`."""
    size: Annotated[int, schema_hint(minimum=1, maximum=MAX_FILE_BYTES)]
    """In bytes."""


class FormUpload(Answer):
    """The form that uploads the bytes: a multipart/form-data POST of `fields`, then the file as the field `file`."""

    url: str
    fields: dict[str, str]
    """The form's fields. Send them before the file."""


class Uploaded(Answer):
    """A file. `upload` is set for an announced file; its form is valid for an hour."""

    id: str
    name: str
    type: str
    size: int
    """In bytes."""
    url: str
    """The download URL, which nobody can guess. It works for as long as the file exists."""
    upload: Annotated[
        FormUpload | None,
        OneTimeSecret(
            "Announce the file again with another Idempotency-Key. Unattached files are removed automatically."
        ),
    ]
