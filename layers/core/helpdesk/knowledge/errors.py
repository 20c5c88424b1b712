"""Errors of the knowledge base (Specification: Errors, Inbox, knowledge, signals, tasks; Not found)."""

from helpdesk.platform.errors import AppError

MAX_TITLE_CHARACTERS = 120
MAX_BODY_BYTES = 900_000
TITLE_TOO_LONG = f"`title` may have {MAX_TITLE_CHARACTERS} characters after trimming. Shorten the title."


class TitleMissing(AppError):
    """The title is missing, or none of its characters is visible."""

    status, code = 400, "title_missing"
    message = "Give the document a `title`."


class BodyMissing(AppError):
    """The body is missing, or none of its characters is visible."""

    status, code = 400, "body_missing"
    message = "Write the document's text into `body`, as Markdown."


class BodyTooLarge(AppError):
    """The text or the title is larger than its limit (Specification: Limits, Knowledge document).

    The text is counted in bytes of UTF-8, the title in characters after trimming. The message names which one it is.
    """

    status, code = 400, "body_too_large"
    message = f"`body` may have {MAX_BODY_BYTES:,} bytes in UTF-8. Split the document into several."


class DocumentNotFound(AppError):
    """No such document in this organization."""

    status, code = 404, "knowledge_doc_not_found"
    message = "No knowledge document has this id in your organization."


class FolderNotFound(AppError):
    """No such folder in this organization."""

    status, code = 404, "knowledge_folder_not_found"
    message = "No knowledge folder has this id in your organization."
