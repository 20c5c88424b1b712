"""Errors of files (Specification: Errors, Messages and uploads)."""

from helpdesk.platform.errors import AppError

MAX_FILE_BYTES = 20_000_000
MAX_NAME_CHARACTERS = 200


class AttachmentMissing(AppError):
    """An attachment's ID is not that of an uploaded file of this organization."""

    status, code = 400, "attachment_missing"
    message = (
        "An attachment's ID names no uploaded file of your organization. Upload it with POST /v1/uploads first, and "
        "send the message within 24 hours."
    )


class AttachmentWrongType(AppError):
    """An attachment is HTML, XHTML, SVG or XSLT, by its declared type or its content."""

    status, code = 400, "attachment_wrong_type"
    message = (
        "HTML, XHTML, SVG and XSLT files cannot be attached. Send a picture, a PDF or an archive instead, or upload "
        "the source as text/plain."
    )


class EmptyFile(AppError):
    """The upload has no content."""

    status, code = 400, "empty_file"
    message = "The file is empty. Send its bytes as the body."


class FileTooBig(AppError):
    """The upload exceeds the size limit of a file or of a request."""

    status, code = 400, "file_too_big"
    message = f"A file may have {MAX_FILE_BYTES // 1_000_000} MB. Make it smaller, or send a link to it."


class FileNotFound(AppError):
    """No file has this URL, or it was never uploaded."""

    status, code = 404, "file_not_found"
    message = "No file is here. Files that were not attached to a message within 24 hours are removed."
