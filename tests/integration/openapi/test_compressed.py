"""The API's documents go out compressed, with a tag and for an hour of caching, and as 304 to who has them."""

import base64
import gzip
from typing import Any

import pytest

from helpdesk.api.http.documents import accepts_gzip
from tests.support.api import Client, gateway_event, invoke
from tests.support.rules import for_each

DOCUMENTS = {"/v1/openapi.json": (340_000, 110_000), "/v1/docs": (400_000, 110_000)}
"""Each document with the fewest bytes that it has, and the most that it has compressed."""
each_document = for_each("path", sorted(DOCUMENTS))


def raw(path: str, **headers: str) -> dict[str, Any]:
    return invoke(
        gateway_event("GET", path, headers={name.replace("_", "-"): v for name, v in headers.items()})
    )


def header(answer: dict[str, Any], name: str) -> str:
    [value] = answer["multiValueHeaders"][name]
    return str(value)


@each_document
def test_a_client_that_accepts_gzip_gets_a_fraction_of_the_bytes(path: str) -> None:
    plain, compressed = raw(path), raw(path, accept_encoding="gzip, deflate, br")

    sent = base64.b64decode(compressed["body"], validate=True)
    fewest, most = DOCUMENTS[path]
    assert len(plain["body"].encode()) > fewest
    assert len(sent) < most
    assert gzip.decompress(sent).decode() == plain["body"]
    assert compressed["isBase64Encoded"] is True
    assert header(compressed, "content-encoding") == "gzip"
    assert header(compressed, "content-type") == header(plain, "content-type")


@each_document
@pytest.mark.parametrize("accepted", [None, "", "identity", "gzip;q=0", "br", "gzip;q=0, *;q=0.5"])
def test_a_client_that_does_not_accept_gzip_gets_the_text(path: str, accepted: str | None) -> None:
    answer = raw(path) if accepted is None else raw(path, accept_encoding=accepted)

    assert answer["isBase64Encoded"] is False
    assert "content-encoding" not in answer["multiValueHeaders"]


@pytest.mark.parametrize(
    "accepted", ["gzip", "GZIP", "deflate, gzip;q=1.0, *;q=0.5", "x-gzip", "*", "br;q=1.0,gzip;q=0.001"]
)
def test_gzip_is_accepted_by_name_or_by_the_asterisk(accepted: str) -> None:
    assert accepts_gzip(accepted)


@each_document
def test_a_document_may_be_kept_for_an_hour_by_anyone_for_each_form(path: str) -> None:
    answer = raw(path)

    assert header(answer, "cache-control") == "public, max-age=3600, stale-while-revalidate=86400"
    assert header(answer, "vary") == "accept-encoding"


@each_document
@pytest.mark.parametrize("accepted", ["identity", "gzip"])
def test_a_client_that_has_the_document_gets_304_without_a_body(path: str, accepted: str) -> None:
    tag = header(raw(path, accept_encoding=accepted), "etag")

    for known in (tag, f"W/{tag}", f'"another", {tag}', "*"):
        answer = raw(path, accept_encoding=accepted, if_none_match=known)
        assert (answer["statusCode"], answer["body"]) == (304, "")
        assert header(answer, "etag") == tag
        assert header(answer, "cache-control").startswith("public")
        assert "content-type" not in answer["multiValueHeaders"]


@each_document
def test_another_tag_or_the_tag_of_the_other_form_gets_the_document(path: str) -> None:
    compressed = header(raw(path, accept_encoding="gzip"), "etag")
    plain = header(raw(path), "etag")

    assert plain != compressed
    assert raw(path, if_none_match=compressed)["statusCode"] == 200
    assert raw(path, if_none_match='"another"')["statusCode"] == 200


def test_304_is_described(anonymous: Client) -> None:
    tag = anonymous.get("/v1/docs").headers["etag"]

    assert anonymous.get("/v1/docs", **{"if-none-match": tag}).status == 304


def test_the_documents_differ_in_their_tags() -> None:
    assert header(raw("/v1/docs"), "etag") != header(raw("/v1/openapi.json"), "etag")
