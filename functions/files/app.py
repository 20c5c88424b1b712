"""/v1/uploads and /v1/files: uploads, and downloads by an address that cannot be guessed."""

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.http.content import BaseUrl, ClientInfo, HtmlPage, RawBody, Redirect, redirect
from helpdesk.api.routing.api import Api
from helpdesk.conversations.files import service as files
from helpdesk.conversations.files import uploads
from helpdesk.conversations.files.errors import EmptyFile, FileNotFound, FileTooBig
from helpdesk.conversations.files.gone_page import gone_page, is_wanted
from helpdesk.conversations.files.schemas import Uploaded, UploadQuery, UploadRequest
from helpdesk.platform.settings import declare
from helpdesk.visitor_texts.languages import preferred
from helpdesk.visitor_texts.texts import VisitorTexts

NEEDS = declare("BASE_URL", "FILES_BUCKET")

api = Api()


@api.post(
    "/v1/uploads",
    access=Access.MEMBER,
    errors=(EmptyFile, FileTooBig),
    request_class=RequestClass.UPLOAD,
    raw_body_parameter="name",
)
def upload(caller: Caller, base_url: BaseUrl, sent: UploadRequest | RawBody, query: UploadQuery) -> Uploaded:
    """Upload a file. Send its bytes as the body, or describe it as JSON to get an address to upload the bytes to.

    One request can carry about 4.4 MB. Describe a larger file as JSON.

    With `name` in the query, the body is the file whatever its media type, also `application/json`.
    """
    if isinstance(sent, RawBody):
        return uploads.upload(caller.organization, base_url, query.name, sent.media_type, sent.content)
    return uploads.announce(caller.organization, base_url, sent)


@api.get(
    "/v1/files/<token>", access=Access.PUBLIC, limit=AddressLimit.FILES, errors=(FileNotFound,), status=302
)
def download(token: str, client: ClientInfo) -> Redirect | HtmlPage:
    """Download a file. The response redirects to an address that works for a few minutes.

    If the file is gone, a browser gets a page in the visitor's language, and other clients get the error object.
    """
    try:
        return redirect(files.download_url(token))
    except FileNotFound:
        if not is_wanted(client.headers.get("accept")):
            raise
    # Only this page needs the settings.
    from helpdesk.agent import service as agent  # noqa: PLC0415

    organization = files.organization_in(token)
    texts = agent.settings_of(organization).texts if organization else VisitorTexts()
    return gone_page(texts.in_language(preferred(client.headers.get("accept-language")) or texts.language))


handler = api.handler
