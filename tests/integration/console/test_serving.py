"""The files of the console: what is served at which address, how it is kept, and what a browser lets it do."""

import base64
import gzip
import hashlib
import json
import re
from typing import Any

import pytest

from tests.support.api import gateway_event, invoke, text_of
from tests.support.template import ROOT

WEB = ROOT / "functions" / "console" / "web"


def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], dict[str, Any]]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = invoke(gateway_event(method, path, headers=sent))
    return raw["statusCode"], {name: values[-1] for name, values in raw["multiValueHeaders"].items()}, raw


def page(path: str = "/console/") -> str:
    return text_of(ask(path)[2])


def files() -> str:
    """Return the path that the page's own files are below, as index.html names it, without the stage's."""
    [found] = set(re.findall(r'"/local(/console/[0-9a-f]{16})/', page()))
    return str(found)


@pytest.mark.parametrize(
    "path", ["/console", "/console/", "/console/conversations/conv_1", "/console/callback"]
)
def test_every_path_without_a_file_shows_the_console(path: str) -> None:
    status, headers, raw = ask(path)

    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert text_of(raw) == page()


def test_the_page_names_the_api_and_the_client_that_it_signs_in_as() -> None:
    described = dict(re.findall(r'<meta name="(helpdesk-\w+)" content="([^"]*)">', page()))

    assert described == {"helpdesk-base": "https://api.example.test/local", "helpdesk-client": "console"}


def test_the_page_leaves_no_name_of_a_value_unfilled() -> None:
    assert re.findall(r"\{\w+\}", page()) == []


def test_a_file_is_kept_for_good_and_the_page_is_asked_for_each_time() -> None:
    _, page_headers, _ = ask("/console/")
    _, file_headers, _ = ask(f"{files()}/vendor/htm-preact.js")

    assert page_headers["cache-control"] == "no-cache"
    assert file_headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("suffix", "media_type"),
    [(".js", "text/javascript; charset=utf-8"), (".css", "text/css; charset=utf-8")],
)
def test_a_file_has_the_type_of_its_name(suffix: str, media_type: str) -> None:
    for path in WEB.rglob(f"*{suffix}"):
        status, headers, raw = ask(f"{files()}/{path.relative_to(WEB).as_posix()}")

        assert (status, headers["content-type"]) == (200, media_type)
        assert text_of(raw) == path.read_text(encoding="utf-8")


def test_a_file_of_another_release_is_not_replaced_by_the_present_one() -> None:
    status, headers, _ = ask("/console/0123456789abcdef/vendor/htm-preact.js")

    assert (status, headers["cache-control"]) == (404, "no-store")


@pytest.mark.parametrize(
    "name", ["missing.js", "../app.py", "vendor/../../app.py", "vendor", "vendor/packages.json"]
)
def test_only_the_consoles_own_files_are_there(name: str) -> None:
    assert ask(f"{files()}/{name}")[0] == 404


def test_a_file_is_compressed_for_a_browser_that_accepts_it() -> None:
    _, plain, whole = ask(f"{files()}/vendor/htm-preact.js")
    _, packed, compressed = ask(f"{files()}/vendor/htm-preact.js", accept_encoding="gzip, br")

    assert "content-encoding" not in plain
    assert packed["content-encoding"] == "gzip"
    assert gzip.decompress(base64.b64decode(compressed["body"])).decode() == text_of(whole)
    assert packed["etag"] != plain["etag"]


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_browser_that_has_the_page_gets_no_body_again(encoding: str) -> None:
    tag = ask("/console/", accept_encoding=encoding)[1]["etag"]

    status, headers, raw = ask("/console/", accept_encoding=encoding, if_none_match=tag)

    assert (status, raw["body"], headers["etag"]) == (304, "", tag)


@pytest.mark.parametrize("path", ["/console/", "/console/0123456789abcdef/console.js"])
def test_head_gets_the_headers_of_get_and_no_body(path: str) -> None:
    status, headers, raw = ask(path, "HEAD")

    assert (status, headers) == ask(path)[:2]
    assert raw["body"] == ""


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods_are_refused_with_those_that_the_console_has(method: str) -> None:
    status, _, raw = ask("/console/", method)

    assert status == 404
    assert json.loads(raw["body"])["error"] == {
        "code": "not_found",
        "message": f"This path has no {method}. Its methods: GET, HEAD.",
    }


def test_a_browser_runs_no_script_and_no_style_but_the_consoles_files_and_frames_it_nowhere() -> None:
    headers = ask("/console/")[1]
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))

    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data: https:",
        "connect-src": "'self' wss://live.execute-api.eu-west-1.amazonaws.com",
        "font-src": "'self'",
        "frame-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"


def test_the_page_has_nothing_that_the_policy_forbids() -> None:
    assert re.findall(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|<base", page()) == []


@pytest.mark.parametrize("package", json.loads((WEB / "vendor" / "packages.json").read_text()))
def test_a_file_of_a_package_is_as_it_was_published(package: dict[str, str]) -> None:
    content = (WEB / "vendor" / package["file"]).read_bytes()

    assert hashlib.sha256(content).hexdigest() == package["sha256"]


def test_every_script_of_a_package_is_listed() -> None:
    listed = {package["file"] for package in json.loads((WEB / "vendor" / "packages.json").read_text())}

    assert {path.name for path in (WEB / "vendor").glob("*.js")} == listed


def test_modules_import_each_other_by_paths_which_every_browser_resolves() -> None:
    bare = {
        f"{path.relative_to(WEB)}: {name}"
        for path in WEB.rglob("*.js")
        for name in re.findall(
            r"""(?:\bfrom|\bimport\(?)\s*["']([^"']+)["']""", path.read_text(encoding="utf-8")
        )
        if not name.startswith(("./", "../"))
    }

    assert bare == set()


def first_view() -> set[str]:
    """Return the modules that the inbox imports before it shows anything."""
    found, left = set(), ["main.js", "inbox.js"]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += re.findall(r'^import [^;]*?from "\./([^"]+)"', (WEB / name).read_text(), re.MULTILINE)
    return found


def test_the_page_loads_the_modules_of_the_inbox_at_once() -> None:
    loaded = re.findall(r'rel="modulepreload" href="\{files\}/([^"]+)"', (WEB / "index.html").read_text())

    assert {*loaded, "main.js"} == first_view()


def test_the_inbox_and_its_libraries_are_at_most_35_kilobytes_compressed() -> None:
    names = [*first_view(), "style.css", "inbox.css", "index.html"]

    assert sum(len(gzip.compress((WEB / name).read_bytes())) for name in names) <= 35 * 1_024
