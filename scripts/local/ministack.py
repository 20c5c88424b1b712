"""`python -m scripts.local.ministack`: MiniStack with everything of it that this project changes.

Each change replaces a part of MiniStack 1.5.33 that has no setting, and is one function here. What MiniStack does, and
what the change wins:

    limit_requests              it passes on requests and answers that AWS refuses: correctness
    answer_refusals_as_declared it ignores the gateway's own responses in the API's document: correctness
    share_content               it unpacks code and layers for each worker process. A few dozen workers hold gigabytes,
                                and removing them holds up an update or a stop for minutes
    read_logs_at_once           it waits up to 50 ms for a log line after each call: a minute or more in the
                                end-to-end tests
    keep_sent_mails             of a mail it keeps neither headers nor tags: correctness
    end_when_saved              at a stop, it waits for functions that still run, though nothing keeps their work:
                                15 s become 2 s

tests/unit/scripts/test_local_ministack.py and test_aws_limits.py call MiniStack's own code, so they fail with an
upgrade that changes what is replaced here.

Workers share what they unpack through symbolic links into one folder, which holds each archive's content once, under
the archive's SHA-256.
"""

import array
import asyncio
import fcntl
import hashlib
import importlib
import io
import json
import os
import shutil
import tempfile
import termios
import threading
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from scripts.local import aws_limits
from scripts.local.settings import REGION
from scripts.mailbox import files

MAILS = "HELPDESK_MAILS"
"""The variable that has the folder of the mails that are sent."""

# As MiniStack names a worker's folder, in the same place.
_WORKERS = "ministack-lambda-*"
_LARGE = 1_000_000  # bytes
_BAD_GATEWAY = 502
_LOG_SECONDS = 0.25  # MiniStack's own limit

type Send = Callable[[dict[str, Any]], Awaitable[None]]


class SharedContent:
    """The unpacked content of archives, each once, for as long as a worker uses it."""

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary
        self._folder = temporary / "shared"
        self._lock = threading.Lock()
        self._large: dict[str, Path] = {}

    def place(self, archive: bytes, target: Path) -> None:
        """Make an empty folder a link to the archive's content."""
        content = self._folder / hashlib.sha256(archive).hexdigest()
        with self._lock:
            if not content.exists():
                self._remove_unused()
                unfinished = content.with_suffix(".new")
                with zipfile.ZipFile(io.BytesIO(archive)) as packed:
                    packed.extractall(unfinished)
                self._link_large_files(unfinished, content)
                unfinished.rename(content)
            target.rmdir()
            target.symlink_to(content)

    def _link_large_files(self, folder: Path, final: Path) -> None:
        """Make large files that another archive has too hard links: several functions carry the same libraries."""
        for path in folder.rglob("*"):
            if path.is_symlink() or not path.is_file() or path.stat().st_size < _LARGE:
                continue
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            known = self._large.get(digest)
            if known is not None and known.exists():
                path.unlink()
                path.hardlink_to(known)
            else:
                self._large[digest] = final / path.relative_to(folder)

    def _remove_unused(self) -> None:
        """Remove what no worker links to: code and layers that an update replaced, and what was left unfinished."""
        used = {
            Path(os.path.realpath(link))
            for link in self._temporary.glob(f"{_WORKERS}/*")
            if link.is_symlink()
        }
        for content in self._folder.glob("*"):
            if content.resolve() not in used:
                shutil.rmtree(content, ignore_errors=True)


class _Archives:
    """The archives that MiniStack writes to files only to read them again."""

    def __init__(self, shared: SharedContent) -> None:
        self._shared = shared
        self._written: dict[str, bytes] = {}

    def open(self, path: str, mode: str) -> Any:
        """Open a file to write; an archive is kept in memory."""
        if mode != "wb":
            return Path(path).open(mode, encoding="utf-8")
        return nullcontext(SimpleNamespace(write=partial(self._written.__setitem__, path)))

    @contextmanager
    def read(self, path: str) -> Iterator[SimpleNamespace]:
        """Return what MiniStack uses of a `zipfile.ZipFile`. The reader of zipfile checks the names while unpacking."""
        archive = self._written.pop(path)
        yield SimpleNamespace(
            namelist=list, extractall=lambda target: self._shared.place(archive, Path(target))
        )


def share_content(temporary: Path) -> None:
    """Let MiniStack's worker processes share what they unpack into the temporary folder."""
    archives = _Archives(SharedContent(temporary))
    runtime = importlib.import_module("ministack.core.lambda_runtime")
    vars(runtime)["open"] = archives.open
    vars(runtime)["zipfile"] = SimpleNamespace(**vars(zipfile) | {"ZipFile": archives.read})


def read_logs_at_once() -> None:
    """Let MiniStack take a worker's log lines without waiting 50 ms for the first.

    A worker writes them before its response, so they are in the pipe when the response comes.
    """
    runtime = importlib.import_module("ministack.core.lambda_runtime")
    wait = runtime.Worker._drain_stderr_bounded  # noqa: SLF001 - it has no setting

    def drain(worker: Any) -> str:
        process = worker._proc  # noqa: SLF001 - None after a failure
        if process is None:
            return str(wait(worker))
        deadline = time.monotonic() + _LOG_SECONDS
        while _unread(process.stderr) and time.monotonic() < deadline:
            time.sleep(0.001)
        return str(wait(worker, first_line_wait=0.002, idle_confirm=0.001))

    runtime.Worker._drain_stderr_bounded = drain  # noqa: SLF001


def _unread(pipe: IO[bytes]) -> bool:
    """Return whether a pipe has bytes that nothing has read."""
    waiting = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    return waiting[0] > 0


def limit_requests() -> None:
    """Let MiniStack's API Gateway refuse what AWS refuses, and name its own host to the functions as AWS does."""
    theirs = vars(importlib.import_module("ministack.services.apigateway_v1"))
    refusal = theirs["_gw_error"]
    build, call, invoke = (
        theirs[name] for name in ("_build_lambda_event_v1", "_call_lambda_raw", "_invoke_lambda_proxy_v1")
    )

    def build_event(api_id: str, *arguments: Any, **options: Any) -> dict[str, Any]:
        event: dict[str, Any] = build(api_id, *arguments, **options)
        event["requestContext"]["domainName"] = f"{api_id}.execute-api.{REGION}.amazonaws.com"
        aws_limits.check_event(event)
        return event

    async def call_function(*arguments: Any, **options: Any) -> Any:
        result, problem = await call(*arguments, **options)
        if problem is None and not aws_limits.fits_an_answer(result.get("body")):
            raise _AnswerTooLarge
        return result, problem

    async def invoke_function(*arguments: Any, **options: Any) -> Any:
        path, method, headers, _body, query = arguments[5:10]
        try:
            aws_limits.check_headers(method, path, query or {}, headers or {})
            async with asyncio.timeout(aws_limits.SECONDS):
                answer = await invoke(*arguments, **options)
        except aws_limits.OverLimit as over:
            return over.status, over.headers, over.body
        except _AnswerTooLarge:
            return refusal("INTEGRATION_FAILURE", "Internal server error")
        except TimeoutError:
            return refusal("INTEGRATION_TIMEOUT", "Endpoint request timed out")
        # MiniStack says what went wrong in a function; AWS has its own response for that.
        failed = isinstance(answer, tuple) and answer[0] == _BAD_GATEWAY
        return refusal("INTEGRATION_FAILURE", "Internal server error") if failed else answer

    theirs.update(
        _build_lambda_event_v1=build_event,
        _call_lambda_raw=call_function,
        _invoke_lambda_proxy_v1=invoke_function,
    )


def answer_refusals_as_declared() -> None:
    """Let MiniStack take the gateway's own responses from the API's document, of which it reads the paths alone."""
    theirs = vars(importlib.import_module("ministack.services.apigateway_v1"))
    take_paths, put = theirs["_import_rest_api"], theirs["_put_gateway_response"]

    def take_document(document: dict[str, Any], *arguments: Any) -> str:
        api_id: str = take_paths(document, *arguments)
        for name, response in document.get("x-amazon-apigateway-gateway-responses", {}).items():
            put(api_id, name, response)
        return api_id

    theirs["_import_rest_api"] = take_document


def keep_sent_mails(folder: Path) -> None:
    """Let MiniStack keep each mail that it is asked to send in a folder, as it was asked (scripts/mailbox)."""
    theirs = vars(importlib.import_module("ministack.services.ses_v2"))
    handle = theirs["handle_request"]

    async def handle_request(method: str, path: str, headers: Any, body: bytes, query: Any) -> Any:
        answer = await handle(method, path, headers, body, query)
        if method == "POST" and path.endswith("/outbound-emails") and answer[0] == HTTPStatus.OK:
            files.keep_sent(folder, {**json.loads(body), **json.loads(answer[2])})
        return answer

    theirs["handle_request"] = handle_request


def end_when_saved() -> None:
    """Let MiniStack end as soon as it has saved its state."""
    application = vars(importlib.import_module("ministack.app"))
    handle = application["_handle_lifespan"]

    async def handle_lifespan(scope: Any, receive: Any, send: Send) -> None:
        async def until_saved(message: dict[str, Any]) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                os._exit(0)
            await send(message)

        await handle(scope, receive, until_saved)

    application["_handle_lifespan"] = handle_lifespan


class _AnswerTooLarge(Exception):
    """A function returned more than Lambda passes on."""


def main() -> None:
    """Run MiniStack until it is asked to end."""
    share_content(Path(tempfile.gettempdir()))
    read_logs_at_once()
    limit_requests()
    answer_refusals_as_declared()
    keep_sent_mails(Path(os.environ[MAILS]))
    end_when_saved()
    importlib.import_module("ministack.app").main()


if __name__ == "__main__":
    main()
