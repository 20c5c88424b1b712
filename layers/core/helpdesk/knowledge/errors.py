"""Errors of the knowledge base (Specification: Errors, Inbox, knowledge, signals, tasks; Not found)."""

from helpdesk.organizations.errors import InvalidSlug, SlugTaken
from helpdesk.platform.errors import AppError
from helpdesk_files.names import MAX_TITLE_CHARACTERS as MAX_TITLE_CHARACTERS  # noqa: PLC0414 - it is of this noun

MAX_BODY_BYTES = 900_000
MAX_URL_CHARACTERS = 2_000
MAX_PATH_CHARACTERS = 1_000
TITLE_TOO_LONG = f"`title` may have {MAX_TITLE_CHARACTERS} characters after trimming. Shorten the title."
MAX_SLUG_CHARACTERS = 80
MAX_FOLDER_DEPTH = 3
MAX_FOLDERS = 1_000
MAX_FOLDER_NAME_CHARACTERS = 80


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


class BadUrl(AppError):
    """The address is not the http or https address of a page."""

    status, code = 400, "bad_url"
    message = f"`url` must be an http or https address without credentials, of up to {MAX_URL_CHARACTERS:,} characters."


class DocumentChanged(AppError):
    """The document has another version than the request is based on."""

    status, code = 409, "doc_changed"
    message = (
        "The document has changed since. Get it again, apply your change to it, and send its new `version`."
    )


class DocumentSynced(AppError):
    """The document's text follows a crawled page or a repository, so only its place can be changed."""

    status, code = 400, "doc_is_synced"
    message = (
        "This document is synced from its source. Change it there; only `folderId`, `slug` and `published` can be"
        " changed here."
    )


class DocumentNotFound(AppError):
    """No such document in this organization."""

    status, code = 404, "knowledge_doc_not_found"
    message = "No knowledge document has this ID in your organization."


class FolderNotFound(AppError):
    """No such folder in this organization."""

    status, code = 404, "knowledge_folder_not_found"
    message = "No knowledge folder has this ID in your organization."


class FolderNameMissing(AppError):
    """The folder's name is missing or blank."""

    status, code = 400, "folder_name_missing"
    message = "Give the folder a `name`."


class FolderTooDeep(AppError):
    """The folder, or one inside it, would be below the third level."""

    status, code = 400, "folder_too_deep"
    message = f"Folders may have {MAX_FOLDER_DEPTH} levels. Choose a parent on a higher level."


class FolderCycle(AppError):
    """The folder would be inside itself."""

    status, code = 400, "folder_cycle"
    message = "A folder cannot be in itself or in one of its subfolders. Choose another parent."


class OrderInvalid(AppError):
    """The list does not name exactly the folders of one parent."""

    status, code = 400, "order_invalid"
    message = (
        "`ids` must name each folder of this parent once, and no other. Get the folders again and retry."
    )


class FolderLimit(AppError):
    """The organization has as many folders as it may have."""

    status, code = 400, "folder_limit"
    message = f"An organization may have {MAX_FOLDERS:,} folders. Delete some first."


class DocumentSlugInvalid(InvalidSlug):
    """The slug of a document's page is not in the form of one."""

    message = (
        f"`slug` must have 1 to {MAX_SLUG_CHARACTERS} lowercase letters and digits, with single dashes between them, "
        "and no accents on Latin letters."
    )


class DocumentSlugTaken(SlugTaken):
    """Another document has the slug, or had it and is still found there."""

    message = "Another document has this `slug`, or had it and is still found there. Choose another one."
