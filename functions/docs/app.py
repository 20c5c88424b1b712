"""/v1/openapi.json and /v1/docs: the API reference for programs and for people, without a credential.

openapi.json beside this file is a link to docs/openapi.json, which `make openapi` writes;
`sam build` copies its content. The page is rendered from it once per execution environment.
"""

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access
from helpdesk.api.http.content import ClientInfo, SharedJson, SharedPage
from helpdesk.api.http.documents import Document, respond
from helpdesk.api.reference.page import render_page
from helpdesk.api.routing.api import Api
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

_DOCUMENT = Path(__file__).with_name("openapi.json")

api = Api()


@api.get("/v1/openapi.json", access=Access.PUBLIC, limit=AddressLimit.STATIC)
def get_openapi(client_info: ClientInfo) -> SharedJson:
    """Get this API reference as OpenAPI 3.1."""
    # Any page may read it: tools that show and try an API do so from the browser.
    return respond(SharedJson, _compact_json(), client_info, {"access-control-allow-origin": "*"})


@api.get("/v1/docs", access=Access.PUBLIC, limit=AddressLimit.STATIC)
def get_docs(client_info: ClientInfo) -> SharedPage:
    """Get this API reference as a web page."""
    page = _page()
    headers = {"content-security-policy": _policy(page.text), "referrer-policy": "no-referrer"}
    return respond(SharedPage, page, client_info, headers)


@cache
def _compact_json() -> Document:
    """Return the document without the indentation that the committed file has for reviewers."""
    document = json.loads(_DOCUMENT.read_text(encoding="utf-8"))
    return Document.of(json.dumps(document, separators=(",", ":"), ensure_ascii=False))


@cache
def _page() -> Document:
    return Document.of(render_page(json.loads(_DOCUMENT.read_text(encoding="utf-8"))))


@cache
def _policy(page: str) -> str:
    """Return a Content-Security-Policy that allows the page's one style sheet, by its hash, and nothing else."""
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[1].encode() if style else b"").digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


handler = api.handler
