"""A site of a customer that shows the chat widget: a server on localhost, which is another site than 127.0.0.1."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Frame, Page


class Shop:
    """A site of the organization: pages by their paths, each with headers of its own."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://localhost:{port}"
        self.pages: dict[str, tuple[str, dict[str, str]]] = {}

    def page(self, path: str, body: str, **headers: str) -> str:
        """Add a page; return its address."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (f"<!doctype html><html lang=en><title>Shop</title><body>{body}", named)
        return self.origin + path


@pytest.fixture
def shop() -> Iterator[Shop]:
    """A server of another site than the help site's."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body, headers = served.pages.get(self.path, ("", {}))
            self.send_response(200)
            for name, value in {"content-type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Shop(server.server_port)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield served
        server.shutdown()


def frame_of(page: Page) -> Frame:
    """Return the widget's frame once its script runs."""
    frame = page.locator("helpdesk-widget iframe").element_handle().content_frame()
    assert frame is not None
    return frame
