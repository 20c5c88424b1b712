"""Requests and responses of the folder routes."""

from typing import Annotated

from pydantic import ConfigDict

from helpdesk.api.http.schemas import Answer, Body, schema_hint
from helpdesk.knowledge.errors import MAX_FOLDER_NAME_CHARACTERS

FolderName = Annotated[str, schema_hint(minLength=1, maxLength=MAX_FOLDER_NAME_CHARACTERS)]


class FolderInput(Body):
    """The body of POST /knowledge/folders. A missing name has an error code of its own, so none is required here."""

    model_config = ConfigDict(json_schema_extra={"required": ["name"]})

    name: FolderName | None = None
    """Required, up to 80 characters after trimming. The error is `folder_name_missing` if it is missing or blank."""
    parent_id: str | None = None
    """The ID of the folder that it is in; by default it is on the first level. There are three levels."""
    published: bool | None = None
    """Whether the help site shows its documents and those of its subfolders; false by default."""


class FolderCreated(Answer):
    """The response of POST /knowledge/folders."""

    id: str


class FolderUpdate(Body):
    """The body of PATCH /knowledge/folders/{id}; omitted fields stay as they are."""

    name: FolderName | None = None
    """Up to 80 characters after trimming."""
    parent_id: str | None = None
    """The ID of the folder to move it to, as the last one there; null moves it to the first level."""
    published: bool | None = None
    """Whether the help site shows its documents and those of its subfolders, also those that are not published
    themselves."""


class FolderOrder(Body):
    """The body of POST /knowledge/folders/order."""

    parent_id: str | None = None
    """The ID of the folder whose subfolders are ordered; by default those of the first level."""
    ids: list[str]
    """The IDs of all folders there, each once, in their new order."""


class FolderShape(Answer):
    """A folder."""

    id: str
    name: FolderName
    parent_id: str | None
    """The ID of the folder that it is in; null on the first level."""
    position: int
    """Its place among the folders of its parent, from 0."""
    documents: int
    """How many documents are in it, without those of its subfolders."""
    published: bool
    """Whether it is published itself. The documents of a folder inside a published one are on the help site, too."""


class FoldersAnswer(Answer):
    """The response of GET /knowledge/folders."""

    folders: list[FolderShape]
    """All folders, in order, each before its subfolders."""
