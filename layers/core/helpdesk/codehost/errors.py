"""Errors and limits of the code host (Specification: Errors, Integrations)."""

from helpdesk.platform.errors import AppError

MAX_FILES = 5_000
"""Files that one repository brings."""
MAX_IMAGES = 1_000
"""Images that one repository brings."""
MAX_FILE_BYTES = 1_000_000
"""Of a Markdown file or an image."""
MAX_ISSUE_NUMBER = 999_999_999


class RepoNameInvalid(AppError):
    """The name of a repository is not `owner/repo`."""

    status, code = 400, "repo_name_invalid"
    message = "Name the repository as `owner/repo`, such as `acme/docs`, without an address or `.git`."


class RepoAlreadyConnected(AppError):
    """The repository is mirrored."""

    status, code = 400, "repo_already_connected"
    message = "This repository is mirrored already. PATCH /v1/integrations/repos changes its branch, folder or address."


class RepoNotConnected(AppError):
    """The repository is not mirrored."""

    status, code = 400, "repo_not_connected"
    message = "This repository is not mirrored. GET /v1/integrations/repos lists those that are."


class BadDocsUrl(AppError):
    """The public address of the files is no address of a website."""

    status, code = 400, "bad_docs_url"
    message = "`publishedAt` must be the https address under which the files are published, without a query."


class AddressPrivate(AppError):
    """The public address of the files is not public."""

    status, code = 400, "address_private"
    message = "`publishedAt` must be a public address: customers follow links to it."


class IssueRepoMissing(AppError):
    """No repository is set for issues."""

    status, code = 400, "issue_repo_missing"
    message = "Set the issue repository first, with `repo`."


class IssueNotFound(AppError):
    """GitHub had no issue with a number when it was asked before."""

    status, code = 404, "issue_not_found"
    message = (
        "GitHub has no issue with this number in the issue repository. Send the number of an existing issue."
    )


class CommitRepoNotFound(AppError):
    """A report names a repository of no connected account; the message lists the accounts."""

    status, code = 404, "commit_repo_not_found"
    message = "Name a repository of a connected account as `owner/repo`, or connect its account."
