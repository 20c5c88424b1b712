"""Errors of the knowledge base (Specification: Errors, Inbox, knowledge, signals, tasks; Not found)."""

from helpdesk.accounts.organizations.errors import InvalidSlug, SlugTaken
from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError, at_most
from helpdesk_files.names import MAX_ALIAS_CHARACTERS as MAX_ALIAS_CHARACTERS  # noqa: PLC0414 - they are of this noun
from helpdesk_files.names import MAX_ALIASES as MAX_ALIASES  # noqa: PLC0414
from helpdesk_files.names import MAX_TITLE_CHARACTERS as MAX_TITLE_CHARACTERS  # noqa: PLC0414

MAX_BODY_BYTES = 900_000
MAX_URL_CHARACTERS = 2_000
MAX_PATH_CHARACTERS = 1_000
TITLE_TOO_LONG = at_most("title", MAX_TITLE_CHARACTERS)
MAX_SLUG_CHARACTERS = 80
MAX_FOLDER_DEPTH = 3
MAX_FOLDERS = 1_000
MAX_FOLDER_NAME_CHARACTERS = 80


class TitleMissing(BadRequestError):
    code = "title_missing"
    message = "The document needs a `title` that is not blank."


class BodyMissing(BadRequestError):
    code = "body_missing"
    message = "The document needs its text as `body`, in Markdown."


class BodyTooLarge(BadRequestError):
    """The text or the title is larger than its limit (Specification: Limits, Knowledge document).

    The text is counted in bytes of UTF-8, the title in characters after trimming. The message names which one it is.
    """

    code = "body_too_large"
    message = f"`body` must be at most {MAX_BODY_BYTES:,} bytes in UTF-8. Split the document into several."


class BadUrl(BadRequestError):
    code = "bad_url"
    message = (
        f"`url` must be an http or https address of at most {MAX_URL_CHARACTERS:,} characters, without "
        "credentials."
    )


class DocumentChanged(ConflictError):
    code = "doc_changed"
    message = (
        "The document has changed since you read it. Get it again, reapply your change, and send its new "
        "`version`."
    )


class DocumentSynced(BadRequestError):
    """The document's text comes from a crawled page or a repository, so only its place and aliases can be changed."""

    code = "doc_is_synced"
    message = (
        "This document is synced from its source. Change it there. Here, you can only change `folderId`, `slug`, "
        "`published` and `aliases`."
    )


class DocumentNotFound(NotFoundError):
    code = "knowledge_doc_not_found"
    message = (
        "No knowledge document has this ID in your organization. GET /v1/knowledge/documents lists them."
    )


class FolderNotFound(NotFoundError):
    code = "knowledge_folder_not_found"
    message = "No knowledge folder has this ID in your organization. GET /v1/knowledge/folders lists them."


class FolderNameMissing(BadRequestError):
    code = "folder_name_missing"
    message = "The folder needs a `name` that is not blank."


class FolderTooDeep(BadRequestError):
    code = "folder_too_deep"
    message = f"Folders can be at most {MAX_FOLDER_DEPTH} levels deep. Choose a parent on a higher level."


class FolderCycle(BadRequestError):
    code = "folder_cycle"
    message = "A folder can't be inside itself or one of its subfolders. Choose another parent."


class OrderInvalid(BadRequestError):
    code = "order_invalid"
    message = "`ids` must name every folder of this parent once, and no other folder. Get the folders again and retry."


class FolderLimit(BadRequestError):
    code = "folder_limit"
    message = f"An organization can have at most {MAX_FOLDERS:,} folders. Delete one first."


class DocumentSlugInvalid(InvalidSlug):
    message = (
        f"`slug` must be 1 to {MAX_SLUG_CHARACTERS} lowercase letters and digits, with single dashes between them "
        "and no accents on Latin letters."
    )


class DocumentSlugTaken(SlugTaken):
    message = "Another document has this `slug`, or had it and still redirects from it. Choose another."
