"""Errors and limits of the code host (Specification: Errors, Integrations)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_FILES = 5_000
"""Files that one repository brings."""
MAX_IMAGES = 1_000
"""Images that one repository brings."""
MAX_FILE_BYTES = 1_000_000
"""Of a Markdown file or an image."""
MAX_ISSUE_NUMBER = 999_999_999


class RepoNameInvalid(BadRequestError):
    code = "repo_name_invalid"
    message = "`repo` must be a name such as `acme/docs`, without an address or `.git`."


class RepoAlreadyConnected(BadRequestError):
    code = "repo_already_connected"
    message = (
        "This repository is already mirrored. "
        "To change its branch, folder or address, call PATCH /v1/integrations/repos."
    )


class RepoNotConnected(BadRequestError):
    code = "repo_not_connected"
    message = "This repository isn't mirrored. GET /v1/integrations/repos lists the mirrored repositories."


class BadDocsUrl(BadRequestError):
    code = "bad_docs_url"
    message = "`publishedAt` must be an https URL without a query."


class AddressPrivate(BadRequestError):
    code = "address_private"
    message = "`publishedAt` must be a public address, because customers follow links to it."


class IssueRepoMissing(BadRequestError):
    code = "issue_repo_missing"
    message = "No issue repository is set. Send `repo`."


class IssueNotFound(NotFoundError):
    code = "issue_not_found"
    message = (
        "GitHub has no issue with this number in the issue repository. Send the number of an existing issue."
    )


class CommitRepoNotFound(NotFoundError):
    code = "commit_repo_not_found"
    message = "`repo` must be a repository of a connected account, as `owner/repo`. Or connect its account."
