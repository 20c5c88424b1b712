"""What goes in and out of uploads."""

from helpdesk.http.schemas import Answer, Body, Query


class UploadQuery(Query):
    """The parameters of an upload whose body is the file itself."""

    name: str | None = None


class UploadRequest(Body):
    """An upload that is announced: the answer says where the bytes go. `size` in bytes."""

    name: str
    type: str
    size: int


class FormUpload(Answer):
    """Where the bytes go: a multipart/form-data POST of `fields`, then the file as the field `file`."""

    url: str
    fields: dict[str, str]


class Uploaded(Answer):
    """A file. `upload` is set where its bytes are still to be sent, which is possible for an hour."""

    id: str
    name: str
    type: str
    size: int
    url: str
    upload: FormUpload | None
