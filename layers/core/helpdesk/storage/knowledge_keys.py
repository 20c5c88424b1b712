"""Keys of knowledge documents and folders. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class KnowledgeDocument(ItemKey):
    """A knowledge document's record; its text is in S3."""

    PK, SK = "ORG#{organization}#KNOWLEDGE", "DOC#{document_id}"
    organization: str
    document_id: str


class DeletedDocument(ItemKey):
    """A deleted knowledge document that the index may still have, so that no answer uses it."""

    PK, SK = "ORG#{organization}#KNOWLEDGE", "DELETED#{document_id}"
    organization: str
    document_id: str


class DocumentPage(ItemKey):
    """What stands at an address of the help site: a document's page, or where it moved."""

    PK, SK = "ORG#{organization}#PAGE", "PAGE#{slug}"
    organization: str
    slug: str


class KnowledgeFolder(ItemKey):
    """A knowledge folder: its name, and how many documents are in it."""

    PK, SK = "ORG#{organization}#FOLDER", "FOLDER#{folder_id}"
    organization: str
    folder_id: str


class KnowledgeTree(ItemKey):
    """Which knowledge folder is in which, in what order, and the version of that; each change requires the version."""

    PK, SK = "ORG#{organization}#FOLDER", "TREE"
    organization: str


def documents_in(organization: str, folder_id: str | None) -> str:
    """Return GSI1's partition of the documents in a folder, None for those in no folder; sorted by id, so by time."""
    return f"ORG#{organization}#DOCUMENTS#{'none' if folder_id is None else folder_id}"
