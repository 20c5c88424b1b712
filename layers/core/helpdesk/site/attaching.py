"""Files that a visitor attaches in the chat widget: each is uploaded when it's chosen, and named by the message."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from pydantic import TypeAdapter, ValidationError

from helpdesk.api.http.content import Content, RawJson
from helpdesk.api.http.schemas import Query
from helpdesk.api.http.validation import body_bytes
from helpdesk.conversations.errors import TooManyAttachments
from helpdesk.conversations.files import uploads
from helpdesk.conversations.files.errors import AttachmentMissing, AttachmentWrongType, EmptyFile, FileTooBig
from helpdesk.conversations.messages.schemas import AttachmentInput
from helpdesk.platform.errors import AppError
from helpdesk.site import framing
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.visitor_texts.catalog import TextName

REFUSALS = (TooManyAttachments, AttachmentMissing, AttachmentWrongType)
"""Why a message with files is refused."""
_SENTENCES: Final[Mapping[type[AppError], TextName]] = {
    TooManyAttachments: TextName.REFUSAL_FILES,
    AttachmentMissing: TextName.REFUSAL_FILE_GONE,
    AttachmentWrongType: TextName.REFUSAL_FILE_TYPE,
    EmptyFile: TextName.REFUSAL_FILE_SIZE,
    FileTooBig: TextName.REFUSAL_FILE_SIZE,
}
_NAMED = TypeAdapter(list[AttachmentInput])


class UploadQuery(Query):
    """The parameters of a file that is uploaded."""

    name: str = ""


def upload(visit: Visit) -> Content:
    """Store the file that is the request's body, and return its ID. Raises FormNotOwn."""
    request = visit.request
    browsers.require_own_form(visit.browser, request.headers.get("x-csrf", ""), visit.client, visit.place)
    content = body_bytes(request.body, is_base64=request.is_base64)
    media_type, name = request.headers.get("content-type") or "", visit.query(UploadQuery).name
    try:
        made = uploads.upload(visit.organization, visit.base_url, name, media_type, content)
    except (EmptyFile, FileTooBig) as error:
        return RawJson(json.dumps({"problem": sentence(visit, error)}), status=HTTPStatus.BAD_REQUEST)
    return RawJson(json.dumps({"id": made.id, "name": made.name}))


def named(sent: str) -> list[AttachmentInput]:
    """Return the files that a message names; none for what isn't a list of them."""
    try:
        return _NAMED.validate_json(sent)
    except ValidationError:
        return []


def sentence(visit: Visit, error: AppError | None) -> str:
    """Return what the visitor reads about a file that is refused; empty for any other error."""
    name = None if error is None else _SENTENCES.get(type(error))
    return "" if name is None else framing.agent_of(visit).texts.in_language(visit.language).write(name)
