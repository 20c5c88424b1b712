"""What goes in and out of uploads."""

from typing import Annotated

from helpdesk.files.errors import MAX_FILE_BYTES
from helpdesk.http.schemas import Answer, Body, OneTimeSecret, Query, schema_hint


class UploadQuery(Query):
    """The parameters of an upload whose body is the file itself."""

    name: str | None = None
    """The file's name, cut to 200 characters; `file` by default."""


class UploadRequest(Body):
    """An upload that is announced: the answer says where the bytes go. `size` in bytes."""

    name: str
    """Cut to 200 characters."""
    type: str
    """The media type, such as `image/png`."""
    size: Annotated[int, schema_hint(minimum=1, maximum=MAX_FILE_BYTES)]
    """In bytes."""


class FormUpload(Answer):
    """Where the bytes go: a multipart/form-data POST of `fields`, then the file as the field `file`."""

    url: str
    fields: dict[str, str]
    """The form's fields, to be sent before the file."""


class Uploaded(Answer):
    """A file. `upload` is set where its bytes are still to be sent, which is possible for an hour."""

    id: str
    name: str
    type: str
    size: int
    """In bytes."""
    url: str
    """Where the file is handed out, for as long as it is kept; nobody can guess it."""
    upload: Annotated[
        FormUpload | None,
        OneTimeSecret(
            "Announce the file again with another Idempotency-Key; what nobody attaches is removed by itself."
        ),
    ]
