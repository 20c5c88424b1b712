"""/v1/knowledge: the documents that the agent answers from, their folders, crawls of websites, and suggestions."""

from helpdesk.accounts.quotas.errors import DocumentLimit, PlanUpgradeRequired
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.knowledge import folder_service as folders
from helpdesk.knowledge import listing
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.crawls import service as crawls
from helpdesk.knowledge.crawls.errors import BadStart, CrawlNotFound, CrawlRunning, TooManyCrawls
from helpdesk.knowledge.crawls.schemas import (
    CrawlAnswer,
    CrawlCreated,
    CrawlDeletionQuery,
    CrawlInput,
    CrawlQuery,
    CrawlsAnswer,
    CrawlsQuery,
)
from helpdesk.knowledge.errors import (
    BadUrl,
    BodyMissing,
    BodyTooLarge,
    DocumentChanged,
    DocumentNotFound,
    DocumentSlugInvalid,
    DocumentSlugTaken,
    DocumentSynced,
    FolderCycle,
    FolderLimit,
    FolderNameMissing,
    FolderNotFound,
    FolderTooDeep,
    OrderInvalid,
    TitleMissing,
)
from helpdesk.knowledge.folder_schemas import (
    FolderCreated,
    FolderInput,
    FolderOrder,
    FoldersAnswer,
    FolderUpdate,
)
from helpdesk.knowledge.schemas import (
    AliasInput,
    DocumentAnswer,
    DocumentChangedAnswer,
    DocumentCreated,
    DocumentDeletionQuery,
    DocumentInput,
    DocumentsAnswer,
    DocumentsQuery,
    DocumentUpdate,
)
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.site import gaps
from helpdesk.suggestions import service as suggestions
from helpdesk.suggestions.errors import (
    SuggestionGone,
    SuggestionNotFound,
    SuggestionSettled,
    SuggestionStale,
)
from helpdesk.suggestions.schemas import (
    SuggestionAnswer,
    SuggestionDecision,
    SuggestionsAnswer,
    SuggestionsQuery,
)

NEEDS = declare(
    "BASE_URL",
    "KNOWLEDGE_BUCKET",
    "ALLOW_LOOPBACK_URLS",
    "EMBEDDING_MODEL_ID",
    "BEDROCK_ENDPOINT_URL",
)

api = Api()

_WRITING = (
    TitleMissing,
    BodyMissing,
    BodyTooLarge,
    BadUrl,
    FolderNotFound,
    PlanUpgradeRequired,
    DocumentLimit,
    DocumentSlugInvalid,
    DocumentSlugTaken,
)


@api.post("/v1/knowledge/documents", access=Access.MEMBER, errors=_WRITING)
def create_document(caller: Caller, document: DocumentInput) -> DocumentCreated:
    """Add a document. It is indexed in the background."""
    return knowledge.create_from_request(caller, document)


@api.get("/v1/knowledge/documents", access=Access.MEMBER, errors=(InvalidCursor,))
def list_documents(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """List documents without their text, newest first, or search them. Filter by folder, status or source."""
    return listing.newest(caller, query)


@api.get("/v1/knowledge/documents/<document_id>", access=Access.MEMBER, errors=(DocumentNotFound,))
def get_document(caller: Caller, document_id: str) -> DocumentAnswer:
    """Get a document with its text."""
    return listing.get(caller.organization, document_id)


@api.patch(
    "/v1/knowledge/documents/<document_id>",
    access=Access.MEMBER,
    errors=(DocumentNotFound, DocumentChanged, DocumentSynced, *_WRITING),
)
def update_document(caller: Caller, document_id: str, change: DocumentUpdate) -> DocumentChangedAnswer:
    """Update a document. The agent answers from the old text until the new one is indexed."""
    return knowledge.update_from_request(caller, document_id, change)


@api.delete(
    "/v1/knowledge/documents/<document_id>",
    access=Access.MEMBER,
    errors=(DocumentNotFound, DocumentChanged),
)
def delete_document(caller: Caller, document_id: str, query: DocumentDeletionQuery) -> Ok:
    """Delete a document. The agent stops answering from it at once."""
    knowledge.delete(caller.organization, document_id, version=query.version)
    return OK


@api.post("/v1/knowledge/documents/<document_id>/aliases", access=Access.MEMBER, errors=(DocumentNotFound,))
def add_alias(caller: Caller, document_id: str, wanted: AliasInput) -> DocumentChangedAnswer:
    """Add words that find a document, such as a search that found nothing that fits."""
    return gaps.close(caller, document_id, wanted)


@api.get("/v1/knowledge/folders", access=Access.MEMBER)
def list_folders(caller: Caller) -> FoldersAnswer:
    """List all folders of the knowledge base, each before its subfolders."""
    return folders.listed(caller.organization)


@api.post(
    "/v1/knowledge/folders",
    access=Access.MEMBER,
    errors=(FolderNameMissing, FolderTooDeep, FolderLimit, FolderNotFound),
)
def create_folder(caller: Caller, folder: FolderInput) -> FolderCreated:
    """Create a folder, as the last one of its parent. Folders have three levels."""
    return folders.create(caller.organization, folder)


@api.patch(
    "/v1/knowledge/folders/<folder_id>",
    access=Access.MEMBER,
    errors=(FolderNotFound, FolderNameMissing, FolderCycle, FolderTooDeep),
)
def update_folder(caller: Caller, folder_id: str, change: FolderUpdate) -> Ok:
    """Rename a folder, or move it with its subfolders to another parent."""
    folders.update(caller.organization, folder_id, change)
    return OK


@api.delete("/v1/knowledge/folders/<folder_id>", access=Access.MEMBER, errors=(FolderNotFound,))
def delete_folder(caller: Caller, folder_id: str) -> Ok:
    """Delete a folder. Its documents and subfolders move to its parent."""
    folders.delete(caller.organization, folder_id)
    return OK


@api.post("/v1/knowledge/folders/order", access=Access.MEMBER, errors=(FolderNotFound, OrderInvalid))
def order_folders(caller: Caller, order: FolderOrder) -> Ok:
    """Put the folders of one parent in order."""
    folders.order(caller.organization, order)
    return OK


@api.post(
    "/v1/knowledge/crawls",
    access=Access.MEMBER,
    errors=(BadStart, PlanUpgradeRequired, FolderNotFound, CrawlRunning, TooManyCrawls),
)
def create_crawl(caller: Caller, crawl: CrawlInput) -> CrawlCreated:
    """Crawl a website: its pages become documents. A start that was crawled before gets the new settings and runs."""
    return crawls.create(caller, crawl)


@api.get("/v1/knowledge/crawls", access=Access.MEMBER, errors=(InvalidCursor,))
def list_crawls(caller: Caller, query: CrawlsQuery) -> CrawlsAnswer:
    """List crawls with the numbers of their latest run, newest first."""
    return crawls.newest(caller, query)


@api.get("/v1/knowledge/crawls/<crawl_id>", access=Access.MEMBER, errors=(CrawlNotFound, InvalidCursor))
def get_crawl(caller: Caller, crawl_id: str, query: CrawlQuery) -> CrawlAnswer:
    """Get a crawl with the outcome of each address of its latest run."""
    return crawls.get(caller, crawl_id, query)


@api.post(
    "/v1/knowledge/crawls/<crawl_id>/run",
    access=Access.MEMBER,
    errors=(CrawlNotFound, PlanUpgradeRequired, CrawlRunning, TooManyCrawls),
)
def run_crawl(caller: Caller, crawl_id: str) -> Ok:
    """Run a crawl again. Changed pages change their documents, and pages that are gone lose them."""
    crawls.run(caller, crawl_id)
    return OK


@api.delete("/v1/knowledge/crawls/<crawl_id>", access=Access.MEMBER, errors=(CrawlNotFound,))
def delete_crawl(caller: Caller, crawl_id: str, query: CrawlDeletionQuery) -> Ok:
    """Delete a crawl, even while it runs. Its documents stay, unless `documents` is `delete`."""
    crawls.delete(caller, crawl_id, query.documents)
    return OK


@api.get("/v1/knowledge/suggestions", access=Access.MEMBER, errors=(InvalidCursor,))
def list_suggestions(caller: Caller, query: SuggestionsQuery) -> SuggestionsAnswer:
    """List knowledge suggestions, newest first. Filter by status."""
    return suggestions.newest(caller, query)


@api.get("/v1/knowledge/suggestions/<suggestion_id>", access=Access.MEMBER, errors=(SuggestionNotFound,))
def get_suggestion(caller: Caller, suggestion_id: str) -> SuggestionAnswer:
    """Get a knowledge suggestion with the questions that it answers."""
    return suggestions.get(caller.organization, suggestion_id)


@api.post(
    "/v1/knowledge/suggestions/<suggestion_id>/accept",
    access=Access.MEMBER,
    errors=(
        SuggestionNotFound,
        SuggestionSettled,
        SuggestionStale,
        SuggestionGone,
        TitleMissing,
        BodyMissing,
        BodyTooLarge,
        FolderNotFound,
        PlanUpgradeRequired,
        DocumentLimit,
    ),
)
def accept_suggestion(caller: Caller, suggestion_id: str, decision: SuggestionDecision) -> SuggestionAnswer:
    """Accept a suggestion: write its document, or change it, with the parts that you edited."""
    return suggestions.accept(caller, suggestion_id, decision)


@api.post(
    "/v1/knowledge/suggestions/<suggestion_id>/dismiss",
    access=Access.MEMBER,
    errors=(SuggestionNotFound, SuggestionSettled),
)
def dismiss_suggestion(caller: Caller, suggestion_id: str) -> Ok:
    """Dismiss a suggestion. The same question with the same answer is not suggested again."""
    suggestions.dismiss(caller, suggestion_id)
    return OK


handler = api.handler
