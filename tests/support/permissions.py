"""Holds each call to AWS that a handler makes in a test against the role of its function.

The emulator of the end-to-end tests ignores dynamodb:LeadingKeys, and moto ignores roles (docs/decisions/0012). Here a
call that the role refuses goes on, and fails its test at the end.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

import botocore
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from botocore.signers import RequestSigner, S3PostPresigner

from scripts.gateway import logical_id
from tests.support import grants
from tests.support.iam_requests import listing, on_object, requests_of
from tests.support.policies import Request, decide

# ---- who calls -------------------------------------------------------------------------------------------------

_running: ContextVar[str | None] = ContextVar("running", default=None)
_TESTS: Final = str(Path(__file__).resolve().parents[1])
_BOTOCORE: Final = str(Path(botocore.__file__).parent)


def running[**P, R](folder: str | None, work: Callable[P, R]) -> Callable[P, R]:
    """Return a handler, or a part of its work, that calls AWS as the function in a folder."""

    @wraps(work)
    def door(*values: P.args, **named: P.kwargs) -> R:
        before = _running.set(folder)
        try:
            return work(*values, **named)
        finally:
            _running.reset(before)

    return door


_DOOR: Final = getattr(running(None, len), "__code__")  # noqa: B009 - its type is that of any callable


def _caller() -> str | None:
    """Return the function that a call is made by; None for the test itself, which may act while a handler runs."""
    folder = _running.get()
    frame: Any = sys._getframe() if folder else None
    while frame is not None and not frame.f_code.co_filename.startswith(_BOTOCORE):
        frame = frame.f_back
    while frame is not None and frame.f_code is not _DOOR:
        if frame.f_code.co_filename.startswith(_TESTS):
            return None
        frame = frame.f_back
    return folder


# ---- the decision ----------------------------------------------------------------------------------------------

_refused: Final[dict[str, None]] = {}  # in their order, once each


@cache
def _allows(folder: str, request: Request) -> bool:
    granted = decide(logical_id(folder), request)
    grants.used.update(granted)
    return bool(granted)


def _judge(folder: str, request: Request) -> None:
    if not _allows(folder, request):
        _refused[f"The role of {folder} refuses {request}."] = None


def require_allowed() -> None:
    """Fail if a role refused a call since this was last required."""
    refused = "\n".join(_refused)
    _refused.clear()
    if refused:
        pytest.fail(refused, pytrace=False)


# ---- every call ------------------------------------------------------------------------------------------------

_ABSENT: Final = {"NoSuchKey", "404"}


@contextmanager
def enforced() -> Iterator[None]:
    """Judge what handlers call, and sign for others to call, until the end."""
    replaced = (
        (BaseClient, "_make_api_call", _call),
        (RequestSigner, "generate_presigned_url", _sign),
        (S3PostPresigner, "generate_presigned_post", _sign_form),
        (ThreadPoolExecutor, "submit", _submit),
    )
    with ExitStack() as stack:
        for owner, name, replacement in replaced:
            original = getattr(owner, name)
            stack.enter_context(patch.object(owner, name, _around(original, replacement)))
        yield


def _around(original: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(*values: Any, **named: Any) -> Any:
        return replacement(original, *values, **named)

    return method


def _call(call: Callable[..., Any], client: Any, operation: str, params: Any) -> Any:
    folder = _caller()
    if folder is None:
        return call(client, operation, params)
    service = client.meta.service_model.service_name
    for request in requests_of(service, operation, params):
        _judge(folder, request)
    try:
        return call(client, operation, params)
    except ClientError as error:
        if service == "s3" and error.response["Error"]["Code"] in _ABSENT:
            _judge(folder, listing(params["Bucket"]))
        raise


def _sign(sign: Callable[..., Any], signer: Any, **named: Any) -> Any:
    if (folder := _caller()) is not None:
        _judge(folder, on_object(named["operation_name"], *_place(named["request_dict"]["url"])))
    return sign(signer, **named)


def _sign_form(sign: Callable[..., Any], signer: Any, **named: Any) -> Any:
    if (folder := _caller()) is not None:
        bucket, _ = _place(named["request_dict"]["url"])
        _judge(folder, on_object("PutObject", bucket, named["fields"]["key"]))
    return sign(signer, **named)


def _place(url: str) -> tuple[str, str]:
    """Return the bucket and the key in an address."""
    parts = urlsplit(url)
    return parts.netloc.partition(".")[0], unquote(parts.path[1:])


def _submit(submit: Callable[..., Any], pool: Any, work: Any, /, *values: Any, **named: Any) -> Future[Any]:
    """A thread of a handler's pool calls as its function."""
    return submit(pool, running(_running.get(), work), *values, **named)  # type: ignore[no-any-return] # typed above
