"""What an anonymous reader can cost: a text is read once, within two seconds, and what comes of it is kept."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.platform import clock
from helpdesk.platform.isolation import Isolated, NotStarted
from helpdesk.site import article_cache, documents
from tests.integration.site.conftest import IN_PROCESS
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.in_process import InProcess
from tests.support.knowledge import add
from tests.support.site import Visitor, opened

TEXT = "Ask <b>us</b>\n& *them*.\n\n- One"
AS_WRITTEN = "<p>Ask &lt;b&gt;us&lt;/b&gt;<br>&amp; *them*.</p>\n<p>- One</p>"
PATH = "/articles/refunds"


@pytest.fixture
def visitor(api: Client) -> Visitor:
    add(api, "Refunds", TEXT, published=True)
    return opened(api)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Isolated]:
    """Replace what reads texts by something that never ends, with one second."""
    with Isolated("tests.support.endless", 1.0) as process:
        monkeypatch.setattr(article_cache, "process", lambda: process)
        yield process


class Slow(InProcess):
    """Takes its time, in which something else happens."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__("helpdesk.site.documents")
        self._happens = happens

    def call(
        self, function: str, body: bytes, *arguments: Any, meanwhile: Callable[[], None] = lambda: None
    ) -> Any:
        """Return what a function returns, after a while."""
        meanwhile()
        self._happens()
        return super().call(function, body, *arguments)


def prose(visitor: Visitor) -> str:
    return "".join(each.html or "" for each in visitor.get(PATH).one(".prose").iter())


def test_a_text_that_takes_too_long_is_shown_as_it_was_written_and_read_again_a_day_later(
    visitor: Visitor, endless: Isolated, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = clock.now_us()
    assert prose(visitor) == AS_WRITTEN.replace("\n", "")
    ended = endless._process

    with recorded_calls() as calls:
        assert prose(visitor) == AS_WRITTEN.replace("\n", "")

    assert ended is None
    assert endless._process is None
    assert [each for each in calls if each.startswith("s3")] == ["s3:GetObject"]
    monkeypatch.setattr(article_cache, "process", lambda: IN_PROCESS)
    with clock.frozen(lambda: at + 86_500_000_000):
        assert "<em>them</em>" in prose(visitor)


def test_its_markdown_is_the_text_as_it_was_written(visitor: Visitor, endless: Isolated) -> None:
    assert visitor.get(f"{PATH}.md").text == f"# Refunds\n\n{TEXT}\n"
    assert endless._process is None


def test_who_reads_while_a_text_takes_long_waits_for_nothing(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(article_cache, "process", lambda: Slow(lambda: seen.append(meanwhile())))

    def meanwhile() -> str:
        monkeypatch.setattr(article_cache, "process", lambda: Slow(lambda: seen.append("read again")))
        return prose(visitor)

    assert "<em>them</em>" in prose(visitor)
    assert seen == [AS_WRITTEN.replace("\n", "")]


def test_a_text_whose_reader_died_is_read_again_after_a_minute(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = clock.now_ms()

    def die() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(article_cache, "process", lambda: Slow(die))
    with clock.frozen(lambda: at * 1_000), pytest.raises(KeyboardInterrupt):
        visitor.get(PATH)
    monkeypatch.setattr(article_cache, "process", lambda: IN_PROCESS)

    with clock.frozen(lambda: (at + 59_999) * 1_000):
        assert prose(visitor) == AS_WRITTEN.replace("\n", "")
    with clock.frozen(lambda: (at + 60_000) * 1_000):
        assert "<em>them</em>" in prose(visitor)


def test_nothing_is_kept_where_the_process_did_not_start(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(InProcess):
        def call(self, *_: Any, **__: Any) -> Any:
            raise NotStarted

    monkeypatch.setattr(article_cache, "process", lambda: Broken("helpdesk.site.documents"))
    assert prose(visitor) == AS_WRITTEN.replace("\n", "")
    monkeypatch.setattr(article_cache, "process", lambda: IN_PROCESS)

    assert "<em>them</em>" in prose(visitor)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("MAX_HTML_BYTES", "- a\n" * 100),
        ("MAX_ADDRESSES", "[a](b.md) " * 100),
        ("MAX_ADDRESSES", "![a](b.png) " * 100),
    ],
)
def test_a_page_that_each_view_would_pay_for_is_not_made(
    monkeypatch: pytest.MonkeyPatch, limit: str, text: str
) -> None:
    def made() -> dict[str, Any]:
        return documents.made(text.encode(), "Title", "a.md", None, is_mirrored=True)

    monkeypatch.setattr(
        documents, limit, 100 if limit == "MAX_ADDRESSES" else len(json.dumps(made()["html"]))
    )
    made()
    monkeypatch.setattr(documents, limit, getattr(documents, limit) - 1)

    with pytest.raises(documents.TooLarge):
        made()
