"""A request's way from boto3 to moto's table and back, without what moto does not read.

Part of quick_moto: the same answers in a fraction of the time.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from botocore.awsrequest import AWSRequest
from botocore.signers import RequestSigner
from botocore.useragent import UserAgentString
from moto import backend_index, backends
from moto.core import models as core
from moto.core import responses as core_responses
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.request import normalize_request
from moto.core.utils import (
    camelcase_to_underscores,
    get_equivalent_url_in_aws_domain,
    method_names_from_class,
)
from moto.dynamodb.responses import DynamoHandler
from moto.sqs import models as sqs
from moto.utilities import aws_headers
from werkzeug.exceptions import HTTPException

from tests.support import quick_table

_BINARY = re.compile(rb'"BS?": ?["\[]')


@lru_cache(maxsize=10_000)
def _handler(url: str) -> Callable[..., Any] | None:
    """Return what answers a URL; moto looks through the patterns of every service for each request."""
    for service, pattern in backend_index.backend_url_patterns:
        if pattern.match(url):
            regions: Any = backends.get_backend(service)  # type: ignore[call-overload] # its names are literals
            here = regions[core.DEFAULT_ACCOUNT_ID]
            backend = here["us-east-1"] if "us-east-1" in here else here["aws"]
            for each, handler in backend.urls.items():
                if re.match(each, url):
                    return handler  # type: ignore[no-any-return] # regions is Any
    return None


def _process(stubber: BotocoreStubber, request: Any) -> Any:
    parsed, _ = get_equivalent_url_in_aws_domain(request.url)
    handler = _handler(f"{parsed.scheme}://{parsed.netloc}{parsed.path}")
    if handler is None:
        return _original_process(stubber, request)
    if handler == DynamoHandler.dispatch:
        target = request.headers["X-Amz-Target"]
        answer = quick_table.wire_answer(target if isinstance(target, str) else target.decode(), request.body)
        if answer is not None:
            return answer
    if handler == DynamoHandler.dispatch and not _BINARY.search(request.body):
        return _answered_by_the_table(request)
    normalized = normalize_request(request)
    try:
        return handler(normalized, normalized.raw_url, normalized.headers)
    except HTTPException as error:
        return error.code, error.get_headers(), error.get_body()


_original_process = BotocoreStubber.process_request


def _answered_by_the_table(request: Any) -> Any:
    """Read a request to DynamoDB as the JSON that it is.

    moto makes it a request of a web server first, looks for a form in its body, and parses the JSON by the service's
    description, which changes binary values alone.
    """
    handler = DynamoHandler()
    handler.headers = {
        name: value.decode() if isinstance(value, bytes) else value for name, value in request.headers.items()
    }
    handler.querystring = handler.uri_match = {}
    handler.params = json.loads(request.body)
    handler.region = handler.get_region_from_url(handler, request.url)
    handler.access_key = handler.get_access_key()
    handler.current_account = handler.get_current_account()
    handler.response_headers = {"server": "amazon.com"}
    return handler.call_action()


def _sign(signer: Any, operation: str, request: AWSRequest, *rest: Any, **named: Any) -> None:
    """Name the key and the region, all that moto reads, instead of a signature. S3's are left: their form matters."""
    if signer._service_id.hyphenize() not in {"dynamodb", "sqs"}:
        _original_sign(signer, operation, request, *rest, **named)
        return
    key = signer._credentials.access_key
    scope = f"{key}/20260101/{signer._region_name}/{signer._signing_name}/aws4_request"
    request.headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"


_original_sign = RequestSigner.sign


def _request_id(headers: Any = None) -> str:
    """Return one id for all: nothing compares them, and each costs 52 random letters."""
    if isinstance(headers, dict):
        headers["x-amzn-requestid"] = "0" * 52
    return "0" * 52


REPLACEMENTS: tuple[tuple[Any, str, Any], ...] = (
    (BotocoreStubber, "process_request", _process),
    (RequestSigner, "sign", _sign),
    # botocore writes it for each request, from thirty parts.
    (UserAgentString, "to_string", lambda _: "Boto3/quick"),
    *(
        (module, "camelcase_to_underscores", lru_cache(camelcase_to_underscores))
        for module in (core_responses, sqs)
    ),
    (core_responses, "method_names_from_class", lru_cache(method_names_from_class)),
    (core_responses, "gen_amzn_requestid_long", _request_id),
    (aws_headers, "gen_amzn_requestid_long", _request_id),
)
