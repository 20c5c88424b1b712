"""Upload files.

Small files are uploaded as the body of one request. Larger ones, up to the limit, are announced and then sent directly
to S3 (Specification: POST /uploads).
"""

from copy import replace

from helpdesk.api.idempotency import service as idempotency
from helpdesk.conversations.files import store
from helpdesk.conversations.files.errors import MAX_FILE_BYTES, MAX_NAME_CHARACTERS, EmptyFile, FileTooBig
from helpdesk.conversations.files.media_types import MEDIA_TYPE, UNTYPED, essence
from helpdesk.conversations.files.record import File
from helpdesk.conversations.files.schemas import FormUpload, Uploaded, UploadRequest
from helpdesk.conversations.files.sniffing import is_refused
from helpdesk.platform import charsets, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import as_name
from helpdesk.storage import table


def upload(organization: str, base_url: str, name: str | None, media_type: str, content: bytes) -> Uploaded:
    """Store a file whose bytes are the request's body. Raises EmptyFile, FileTooBig."""
    _require_size(len(content))
    announced = _new_file(organization, base_url, name or "", media_type, len(content))
    file = replace(
        announced,
        received=True,
        runs_in_browser=is_refused(announced.type, content, complete=True) is True,
        # The response holds the file's name, and is removed with the file.
        response_hash=idempotency.current_response_hash(),
    )
    # The item first: nothing would find bytes without an item, and the cleanup removes an item without bytes.
    table.put_new(file)
    store.put(organization, file.id, content)
    return _uploaded(file, None)


def announce(organization: str, base_url: str, request: UploadRequest) -> Uploaded:
    """Register a file and return the form that uploads its bytes to S3. Raises EmptyFile, FileTooBig."""
    _require_size(request.size)
    file = _new_file(organization, base_url, request.name, request.type, request.size)
    table.put_new(file)
    url, fields = store.upload_form(organization, file.id)
    return _uploaded(file, FormUpload(url=url, fields=fields))


def _require_size(size: int) -> None:
    if size <= 0:
        raise EmptyFile
    if size > MAX_FILE_BYTES:
        raise FileTooBig


def _new_file(organization: str, base_url: str, name: str, media_type: str, size: int) -> File:
    kind = essence(media_type) or UNTYPED
    if kind == "multipart/form-data":
        raise InvalidRequest(
            "Send the file's bytes as the body, not as a form: curl --data-binary @photo.png."
        )
    if kind == "application/x-www-form-urlencoded":
        kind = UNTYPED  # the default of curl, which says nothing about the file
    if MEDIA_TYPE.fullmatch(kind) is None:
        raise InvalidRequest("`type` must be a media type such as image/png.")
    file_id = ids.new("file")
    # The URL needs no credential, so its last part is as hard to guess as a key.
    token = f"{organization.removeprefix('org_')}-{file_id.removeprefix('file_')}-{ids.secret()}"
    return File(
        organization=organization,
        id=file_id,
        name=as_name(name, MAX_NAME_CHARACTERS) or "file",
        type=kind,
        size=size,
        url=f"{base_url}/v1/files/{token}",
        received=False,
        runs_in_browser=False,
        charset=charsets.named_in(media_type) if kind.startswith("text/") else None,
    )


def _uploaded(file: File, form: FormUpload | None) -> Uploaded:
    return Uploaded(id=file.id, name=file.name, type=file.type, size=file.size, url=file.url, upload=form)
