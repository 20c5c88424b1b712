"""/v1/openapi.json and /v1/docs: the description of the API, for programs and for people, without a credential.

Both are written by `make openapi` and lie beside this file, so that nothing is generated while someone waits.
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from helpdesk.admission.caller import Access
from helpdesk.http.api import Api
from helpdesk.http.content import HtmlPage, WrittenJson

_HERE = Path(__file__).parent
# An hour: a description changes with a deployment only.
_HEADERS = {"cache-control": "public, max-age=3600", "x-content-type-options": "nosniff"}

api = Api()


@api.get("/v1/openapi.json", access=Access.PUBLIC)
def get_openapi() -> WrittenJson:
    """Return this description of the API as OpenAPI 3.1."""
    # Any page may read it: tools that show and try an API do so from the browser.
    return WrittenJson(_read("openapi.json"), {**_HEADERS, "access-control-allow-origin": "*"})


@api.get("/v1/docs", access=Access.PUBLIC)
def get_docs() -> HtmlPage:
    """Return this description of the API as a page to read."""
    page = _read("page.html")
    return HtmlPage(
        page,
        {**_HEADERS, "content-security-policy": _policy(page), "referrer-policy": "no-referrer"},
    )


@cache
def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _policy(page: str) -> str:
    """Return the policy under which the page loads and runs nothing; its one style sheet is known by its hash."""
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[1].encode() if style else b"").digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


handler = api.handler
