"""Images of mirrored repositories: kept with the files, and shown by published documents that have them alone."""

import base64
from collections.abc import Callable

import pytest

from helpdesk.integrations import errors
from helpdesk.integrations.github import mirroring, planning
from helpdesk.integrations.record import Connection
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.site import contents
from scripts.services.repositories import Installation
from tests.support.api import Client, Context, function, gateway_event
from tests.support.mirrors import Docs, docs
from tests.support.site import Visitor, opened
from tests.support.workers import Workers

__all__ = ["docs"]
PNG = b"\x89PNG\r\n\x1a\n" + b"first" * 10
GIF = b"GIF89a" + b"second" * 10


@pytest.fixture
def workers() -> Workers:
    """Everything but indexing, which is not what is tested here."""
    return Workers("knowledge")


@pytest.fixture(autouse=True)
def connection(connect_codehost: Callable[..., Connection], acme: Installation) -> Connection:
    """The organization's connection to the account."""
    contents.forget()
    return connect_codehost(acme)


def image(visitor: Visitor, address: str) -> tuple[int, str, bytes]:
    """Return the status, the media type and the bytes at an address on the host."""
    raw = function("site").handler(gateway_event("GET", address.removeprefix("/local")), Context())
    body = base64.b64decode(raw["body"]) if raw["isBase64Encoded"] else raw["body"].encode()
    return raw["statusCode"], raw["multiValueHeaders"]["content-type"][0], body


def sources(visitor: Visitor, path: str) -> list[str]:
    """Return the addresses of an article's images."""
    return [str(each.attributes["src"]) for each in visitor.get(path).html.css("main img[src]")]


def stored() -> list[str]:
    """Return the keys of the images that are stored."""
    listed = clients.s3().list_objects_v2(Bucket=settings().knowledge_bucket)
    return [each["Key"] for each in listed.get("Contents", ()) if "/images/" in each["Key"]]


def publish(docs: Docs, path: str) -> None:
    document = docs.documents()[path]["id"]
    assert docs.api.patch(f"/v1/knowledge/documents/{document}", {"published": True}).status == 200


def test_an_article_shows_the_images_beside_its_file(docs: Docs) -> None:
    text = "# Setup\n\n![One](img/my%20screen.PNG) <img src='/two.gif'> ![Gone](none.png) ![Up](../../etc/x.png)\n"
    docs.commit({"docs/setup.md": text, "docs/img/my screen.PNG": PNG, "two.gif": GIF})
    docs.begin()
    publish(docs, "docs/setup.md")
    visitor = opened(docs.api)

    first, second, missing = sources(visitor, "/articles/setup")

    assert image(visitor, first) == (200, "image/png", PNG)
    assert image(visitor, second) == (200, "image/gif", GIF)
    assert image(visitor, missing)[0] == 404


def test_an_image_is_shown_by_published_documents_that_have_it_alone(docs: Docs, stranger: Client) -> None:
    docs.commit(
        {"open.md": "# Open\n\nText", "inner.md": "# Inner\n\n![Secret](secret.png)", "secret.png": PNG}
    )
    docs.begin()
    visitor = opened(docs.api)
    publish(docs, "open.md")
    publish(docs, "inner.md")
    [address] = sources(visitor, "/articles/inner")
    assert image(visitor, address)[0] == 200
    under_another = address.replace("/inner/", "/open/")
    of_another = address.replace(f"/site/{visitor.slug}/", f"/site/{opened(stranger).slug}/")

    assert image(visitor, under_another)[0] == image(visitor, of_another)[0] == 404
    document = docs.documents()["inner.md"]["id"]
    docs.api.patch(f"/v1/knowledge/documents/{document}", {"published": False})
    assert image(visitor, address)[0] == 404


def test_images_follow_the_repository_and_go_with_the_mirror(docs: Docs) -> None:
    docs.commit({"a.md": "# A\n\n![x](x.png)", "x.png": PNG, "y.png": PNG, "logo.svg": "<svg/>"})
    docs.begin()
    publish(docs, "a.md")
    visitor = opened(docs.api)
    [address] = sources(visitor, "/articles/a")
    assert len(stored()) == 2

    # The second is one by its name alone, and must not stay as what it was.
    docs.commit({"x.png": GIF, "y.png": "<html><script>alert(1)</script>"})
    docs.sync()
    assert image(visitor, address) == (200, "image/gif", GIF)
    assert len(stored()) == 1

    docs.commit({"x.png": None})
    docs.sync()
    assert (stored(), image(visitor, address)[0]) == ([], 404)

    docs.commit({"x.png": PNG})
    docs.sync()
    assert len(stored()) == 1
    assert docs.api.delete("/v1/integrations/repos?repo=acme/docs").status == 200
    docs.run()
    assert stored() == []


def test_images_that_are_too_large_or_too_many_are_left_out(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (mirroring, planning):
        monkeypatch.setattr(module, "MAX_IMAGES", 2)
    large = PNG + b"x" * errors.MAX_FILE_BYTES
    docs.commit({"a.md": "# A\n\nText", "0.png": large, **{f"{n}.png": PNG + bytes([n]) for n in (1, 2, 3)}})
    docs.begin()

    assert len(stored()) == 2
    [row] = docs.api.get("/v1/integrations/repos").body["repos"]
    assert (row["status"], row["documents"]) == ("synced", 1)
    assert (
        row["problem"]
        == "Of 3 images the first 2 are mirrored. 1 files over 1 MB are left out, such as 0.png."
    )


def test_a_document_that_is_no_mirrored_file_has_no_such_images(api: Client) -> None:
    body = "![x](x.png) ![y](image:x.png) <img src='image:x.png'> [z](image:x.png)"
    document = {"title": "Mine", "body": body, "path": "docs/mine.md", "published": True}
    assert api.post("/v1/knowledge/documents", document).status == 200

    page = opened(api).get("/articles/mine")

    assert [each.attributes.get("src") for each in page.html.css("main img")] == [None] * 3
    assert "image:" not in page.text
