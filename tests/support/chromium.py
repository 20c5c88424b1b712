"""A browser in tests: Debian's Chromium, one for each file, and the real handlers behind a server on loopback.

A file that uses it is skipped where it is not installed: `pytestmark = installed`.
"""

import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from playwright.sync_api import Browser, sync_playwright

from helpdesk.platform.settings import settings
from helpdesk.site import router
from tests.support.wsgi import StartResponse, application

PATH = shutil.which("chromium") or "/usr/bin/chromium"

installed = pytest.mark.skipif(
    not Path(PATH).exists(), reason="no chromium is installed here (Debian: apt-get install chromium)"
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield browser
        browser.close()


class _Threaded(ThreadingMixIn, WSGIServer):
    """A server with a thread for each request, because requests for news wait."""

    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(lock: AbstractContextManager[Any]) -> Iterator[str]:
    """Serve the real handlers and return their address. They run with the lock, because moto has none."""

    def locked(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        with lock:
            return application(environ, start_response)

    with make_server("127.0.0.1", 0, locked, server_class=_Threaded, handler_class=_Quiet) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.fixture
def working() -> threading.RLock:
    """The lock that handlers hold; a test that works while pages ask for news holds it, too."""
    return threading.RLock()


@pytest.fixture
def host(working: threading.RLock, monkeypatch: pytest.MonkeyPatch, aws: None) -> Iterator[str]:
    """The address of help sites' host, and of the API."""
    with served(working) as address:
        monkeypatch.setenv("STAGE", "local")
        monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
        monkeypatch.setenv("BASE_URL", address)
        monkeypatch.setenv("LIVE_URL", "")  # pages look for news
        settings.cache_clear()
        router.forget()
        yield address
