"""The example tool servers of clients/examples as real servers on loopback, and the service's own requests."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock
from wsgiref.simple_server import WSGIRequestHandler, make_server

import uvicorn

from helpdesk.outbound.exchange import Reply, Request, exchange
from helpdesk.outbound.signing import SIGNATURE_HEADER, sign
from helpdesk_webhooks import tools_secret
from tests.clients.example_server import express_folder
from tests.support.node import node

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "clients" / "examples" / "tools_shop"
KEY = "svc_key_01jd3kq8v5zt4m9rx2c7w6ybne_7ELSZgnu18FMTahov29GNUbipw3AHOVcjqx4BIPWdkr"
SECRET = tools_secret(KEY)


def python_shop(folder: Path) -> ModuleType:
    """Return the example's module, with its calls in a folder."""
    with mock.patch.dict(os.environ, {"HELPDESK_KEY": KEY, "CALLS": str(folder / "calls")}):
        spec = importlib.util.spec_from_file_location("shop", SHOP / "shop.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Annotations are looked up in their module, by its name.
        with mock.patch.dict("sys.modules", {"shop": module}):
            spec.loader.exec_module(module)
    return module


@contextmanager
def wsgi(folder: Path) -> Iterator[str]:
    """Serve the Python example with the standard library's WSGI server."""

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = make_server("127.0.0.1", 0, python_shop(folder).wsgi, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tools"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def asgi(folder: Path) -> Iterator[str]:
    """Serve the Python example with uvicorn."""
    server = uvicorn.Server(uvicorn.Config(python_shop(folder).asgi, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/tools"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def javascript(folder: Path) -> Iterator[str]:
    """Serve the JavaScript example with node:http."""
    package = folder / "node_modules" / "helpdesk-webhooks"
    if not package.exists():
        package.parent.mkdir()
        package.symlink_to(ROOT / "clients" / "javascript")
    shutil.copy(SHOP / "shop.mjs", folder)
    with _node(folder, "shop.mjs", folder) as address:
        yield address


@contextmanager
def express(folder: Path) -> Iterator[str]:
    """Serve the JavaScript example with Express, which the example receiver installs."""
    installed = express_folder()
    shutil.copy(SHOP / "shop.mjs", installed)
    (installed / "express_shop.mjs").write_text(_EXPRESS, encoding="utf-8")
    with _node(installed, "express_shop.mjs", folder) as address:
        yield address


_EXPRESS = """\
import express from "express";
import { tools } from "./shop.mjs";

const app = express();
app.all("/tools", tools.node);
app.use(express.json());
const server = app.listen(0, "127.0.0.1", () => console.log(`Tools at http://127.0.0.1:${server.address().port}/`));
"""


@contextmanager
def _node(folder: Path, program: str, calls: Path) -> Iterator[str]:
    environment = {**os.environ, "HELPDESK_KEY": KEY, "PORT": "0", "CALLS": str(calls / "calls")}
    with subprocess.Popen(
        [node(), program], cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            assert found, "the server did not start"
            yield found[0] + "tools"
        finally:
            process.kill()


SERVERS = {"wsgi": wsgi, "asgi": asgi, "javascript": javascript, "express": express}


def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def a_call(tool: str, given: Any, *, call_id: str = "call_1", visitor: str | None = "customer-1") -> bytes:
    """Return the body of a call as the service writes it; for an empty ID, the visitor has an address alone."""
    known = {"externalId": visitor or None, "name": "Vera", "email": "v@example.com"}
    context = {"visitor": None if visitor is None else known, "conversationId": "conv_1", "test": False}
    return json.dumps({"id": call_id, "tool": tool, "input": given, "context": context}).encode()


def send(url: str, body: bytes | None, *, secret: str = SECRET, age: int = 0) -> Reply:
    """Send the service's signed request through its own sender: a GET without a body, else a POST."""
    headers = {SIGNATURE_HEADER: sign(secret, now_ms() - age, body or b"")}
    request = Request("GET" if body is None else "POST", url, headers, body)
    return exchange(request, max_bytes=512_000, deadline_seconds=15, allow_loopback=True)
