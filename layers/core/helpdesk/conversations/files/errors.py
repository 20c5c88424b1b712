"""Errors of files (Specification: Errors, Messages and uploads)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_FILE_BYTES = 20_000_000
MAX_NAME_CHARACTERS = 200
UNATTACHED_HOURS = 24
"""How long a file is kept that no message attaches."""


class AttachmentMissing(BadRequestError):
    code = "attachment_missing"
    message = (
        "An attachment's ID must be that of a file uploaded in your organization. Upload it with POST /v1/uploads, "
        f"and send the message within {UNATTACHED_HOURS} hours."
    )


class AttachmentWrongType(BadRequestError):
    """An attachment is HTML, XHTML, SVG or XSLT, by its declared type or its content."""

    code = "attachment_wrong_type"
    message = (
        "HTML, XHTML, SVG and XSLT files can't be attached. Send a picture, a PDF or an archive instead, or upload "
        "the source as text/plain."
    )


class EmptyFile(BadRequestError):
    code = "empty_file"
    message = "The file is empty. Send its bytes as the body."


class FileTooBig(BadRequestError):
    """The upload exceeds the size limit of a file or of a request."""

    code = "file_too_big"
    message = (
        f"A file must be at most {MAX_FILE_BYTES // 1_000_000} MB. Make it smaller, or send a link to it."
    )


class FileNotFound(NotFoundError):
    code = "file_not_found"
    message = f"No file has this address. Files that no message attaches within {UNATTACHED_HOURS} hours are removed."
