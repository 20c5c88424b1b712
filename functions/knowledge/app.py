"""/v1/knowledge: the documents that the agent answers from."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.errors import (
    BodyMissing,
    BodyTooLarge,
    DocumentNotFound,
    FolderNotFound,
    TitleMissing,
)
from helpdesk.knowledge.schemas import (
    DocumentAnswer,
    DocumentCreated,
    DocumentInput,
    DocumentsAnswer,
    DocumentsQuery,
)
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL", "KNOWLEDGE_BUCKET")

api = Api()


@api.post(
    "/v1/knowledge/documents",
    access=Access.MEMBER,
    errors=(TitleMissing, BodyMissing, BodyTooLarge, FolderNotFound),
)
def create_document(caller: Caller, document: DocumentInput) -> DocumentCreated:
    """Add a document. It is indexed in the background."""
    return knowledge.create(caller.organization, document)


@api.get("/v1/knowledge/documents", access=Access.MEMBER, errors=(InvalidCursor,))
def list_documents(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """List documents without their text, newest first."""
    return knowledge.newest(caller, query)


@api.get("/v1/knowledge/documents/<document_id>", access=Access.MEMBER, errors=(DocumentNotFound,))
def get_document(caller: Caller, document_id: str) -> DocumentAnswer:
    """Get a document with its text."""
    return knowledge.get(caller.organization, document_id)


handler = api.handler
