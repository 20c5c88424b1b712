"""GET and PATCH /v1/site/appearance, and the pages that look so (Specification: PATCH /site/appearance)."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.site import repository
from helpdesk.site.record import SiteSettings, SiteStylesheet
from helpdesk.site.repository import Stylesheet
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.site import Visitor, opened

DEFAULTS = {"theme": "paper", "scheme": "system", "navigation": "sidebar", "accent": None, "css": ""}
PATH = "/v1/site/appearance"


def styles(visitor: Visitor, path: str = "/") -> list[str]:
    """Return the paths, within the site, of the stylesheets of a page."""
    links = visitor.get(path).html.css("link[rel=stylesheet]")
    return [str(link.attributes["href"]).partition(f"/site/{visitor.slug}")[2] for link in links]


def test_a_site_that_never_set_its_look_has_the_sidebar(api: Client) -> None:
    answer = api.get(PATH)
    assert (answer.status, answer.body) == (200, DEFAULTS)

    page = opened(api).get("/").one("html")
    assert (page.attributes["data-scheme"], page.attributes["data-navigation"]) == ("system", "sidebar")


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ({}, {}),
        ({"theme": "paper"}, {}),
        ({"scheme": "dark"}, {"scheme": "dark"}),
        ({"navigation": "topics"}, {"navigation": "topics"}),
        ({"accent": "#0A7C66"}, {"accent": "#0a7c66"}),
        ({"accent": "#fa0"}, {"accent": "#ffaa00"}),
        ({"css": "a { color: red }"}, {"css": "a { color: red }"}),
        ({"css": "é" * 59_996 + "{}"}, {"css": "é" * 59_996 + "{}"}),
    ],
)
def test_only_what_is_sent_changes(api: Client, change: dict[str, Any], result: dict[str, Any]) -> None:
    answer = api.patch(PATH, change)

    assert (answer.status, answer.body) == (200, DEFAULTS | result)
    assert api.get(PATH).body == answer.body


def test_changes_add_up_and_null_takes_each_back(api: Client) -> None:
    sent = {"scheme": "light", "navigation": "top", "accent": "#123456", "css": "p{}"}
    for name, value in sent.items():
        api.patch(PATH, {name: value})
    assert api.get(PATH).body == DEFAULTS | sent

    assert api.patch(PATH, dict.fromkeys(sent)).body == DEFAULTS
    assert api.get(PATH).body == DEFAULTS


@for_each(
    ("change", "named"),
    [
        ({"accent": "#0a7c6680"}, "`accent`"),
        ({"css": "a{}\n@import 'x';"}, "line 2"),
    ],
)
def test_what_a_page_cannot_show_is_refused_and_changes_nothing(
    api: Client, change: dict[str, Any], named: str
) -> None:
    answer = api.patch(PATH, {"scheme": "dark"} | change)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert named in answer.message
    assert api.get(PATH).body == DEFAULTS


def test_a_change_is_logged_and_none_writes_nothing(api: Client) -> None:
    api.patch(PATH, {"accent": "#0a7c66", "css": "a{}"})
    with recorded_calls() as calls:
        api.patch(PATH, {"accent": "#0A7C66", "css": "a{}"})

    assert calls == ["dynamodb:UpdateItem", "dynamodb:BatchGetItem"]
    [entry] = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert entry["summary"] == "The help site's appearance was changed: accent, css."


def test_the_stylesheet_is_a_file_of_its_own_after_the_theme(api: Client) -> None:
    visitor = opened(api)
    api.patch(PATH, {"css": "/* ours */ .prose { color: red }"})

    theme, own = styles(visitor)
    assert re.fullmatch(r"/assets/paper\.[0-9a-f]{12}\.css", theme)
    assert re.fullmatch(r"/css/[0-9a-f]{24}\.css", own)
    page = visitor.get("/")
    assert page.html.css("style, [style]") == []
    assert "color: red" not in page.text

    file = visitor.get(own)
    assert (file.status, file.text.strip()) == (200, ".prose { color: red }")
    assert file.headers["content-type"] == "text/css; charset=utf-8"
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert file.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_theme_has_the_accent_in_its_address_and_its_rules(api: Client) -> None:
    visitor = opened(api)
    api.patch(PATH, {"accent": "#ffffff"})

    [theme] = styles(visitor)
    assert theme.endswith(".ffffff.css")
    file = visitor.get(theme)
    assert file.status == 200
    assert "--accent: #ffffff; --on-accent: #000000;" in file.text
    assert file.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_page_in_a_cache_keeps_its_stylesheet(api: Client, organization: NewOrganization) -> None:
    visitor = opened(api)
    api.patch(PATH, {"css": "a{color:red}"})
    before = styles(visitor)[1]
    api.patch(PATH, {"css": "a{color:blue}"})

    assert visitor.get(before).text == "a{color:red}"
    name = before.removeprefix("/css/").removesuffix(".css")
    item = table.get(SiteStylesheet.key_for(organization.organization_id, name))
    assert item is not None
    assert item["expiresAt"] == pytest.approx(clock.now_ms() / 1_000 + 30 * 86_400, abs=60)

    api.patch(PATH, {"css": "a{color:red}"})
    item = table.get(SiteStylesheet.key_for(organization.organization_id, name))
    assert item is not None
    assert "expiresAt" not in item
    api.patch(PATH, {"css": ""})
    assert len(styles(visitor)) == 1
    assert visitor.get(before).status == 200


def test_of_two_changes_at_once_the_later_knows_the_earlier(organization: NewOrganization) -> None:
    """Otherwise the stylesheet that nobody saw replaced would stay for ever."""
    seen = SiteSettings(organization=organization.organization_id)
    first, second = "a" * 24, "b" * 24
    transaction = Transaction()
    repository.change(transaction, seen, replace(seen, css_hash=first), Stylesheet("a{}", "a{}", first))
    transaction.commit()
    late = Transaction()
    repository.change(late, seen, replace(seen, css_hash=second), Stylesheet("b{}", "b{}", second))
    with pytest.raises(ConditionFailed):
        late.commit()


def test_anothers_stylesheet_is_not_served_on_a_site(api: Client, stranger: Client) -> None:
    hostile, visited = opened(stranger), opened(api)
    stranger.patch(PATH, {"css": "body { display: none }"})
    [_, foreign] = styles(hostile)

    assert visited.get(foreign).status == 404
    assert styles(visited) == [styles(visited)[0]]
    assert visited.slug not in "".join(styles(hostile))


@for_each("name", ["0" * 24 + ".css", "x.css", "..%2f..%2fassets", "a#b.css", "0" * 24, "A" * 24 + ".css"])
def test_an_unknown_stylesheet_is_not_found(api: Client, name: str) -> None:
    assert opened(api).get(f"/css/{name}").status == 404
