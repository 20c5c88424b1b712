"""Every page of a help site: who finds it, how it is kept, and what a browser may do with it."""

import re

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site import assets, sending
from tests.support.api import Client, gateway_event
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.site import Visitor, opened

HOSTILE = "</title><script>alert(1)</script>\"'{{ 7 * 7 }}"


def test_the_home_page_shows_title_intro_logo_and_links(api: Client) -> None:
    links = [{"label": "Imprint", "url": "https://example.com/imprint"}]
    visitor = opened(
        api, title="Acme help", intro="Ask us.", logoUrl="https://example.com/l.png", footerLinks=links
    )

    page = visitor.get("/")

    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.words("h1") == "Acme help"
    assert page.words(".intro") == "Ask us."
    assert page.one(".site-logo").attributes["src"] == "https://example.com/l.png"
    assert page.links(".footer-links") == {"Imprint": "https://example.com/imprint"}


def test_a_site_without_a_title_has_the_organizations_name(api: Client) -> None:
    name = api.get("/v1/organization").body["name"]

    assert opened(api).get("/").words("h1") == name


def test_a_site_without_articles_has_no_search_but_the_way_to_the_team(api: Client) -> None:
    page = opened(api, language="en").get("/")

    assert page.html.css("main form") == []
    assert page.words("main .empty") == "There are no articles yet. Contact us"
    assert page.links("main .empty").keys() == {"Contact us"}

    assert opened(api, showContact=False).get("/").links("main .empty") == {}


def test_settings_are_escaped(api: Client) -> None:
    visitor = opened(api, title=HOSTILE[:80], intro=HOSTILE)

    page = visitor.get("/")

    assert page.html.css("script") == []
    assert page.words(".intro") == HOSTILE


def test_a_site_that_is_off_is_like_one_that_does_not_exist(api: Client) -> None:
    slug = api.get("/v1/organization").body["slug"]

    off, unknown = Visitor(slug).get("/"), Visitor("nobody-has-this").get("/")

    assert off.status == unknown.status == 404
    assert off.text == unknown.text


@for_each("slug", ["", "a", "UPPER", "a--b", "%23", "x" * 200, "org%23x", "..", "-"])
def test_a_slug_that_nobody_can_have_is_not_looked_up(slug: str) -> None:
    with recorded_calls() as calls:
        page = Visitor(slug).get("/")

    assert (page.status, calls) == (404, [])


def test_a_page_that_does_not_exist_is_in_the_sites_frame(api: Client) -> None:
    page = opened(api, title="Acme").get("/nowhere/at/all")

    assert page.status == 404
    assert page.words("h1") == "Page not found"
    assert page.words(".site-name") == "Acme"


def test_every_address_below_a_former_slug_leads_to_the_present_one(api: Client) -> None:
    visitor = opened(api, title="First")
    assert visitor.get("/").words("h1") == "First"
    api.patch("/v1/organization", {"slug": "moved-away"})

    assert Visitor("moved-away").get("/").words("h1") == "First"
    for path in (
        "/",
        "/articles/gr%C3%BC%C3%9Fe.md",
        "//elsewhere.example/",
        "/sign-in/callback",
        "/nowhere",
    ):
        page = visitor.get(path)
        assert (page.status, page.headers["location"]) == (301, f"/local/site/moved-away{path}")
        assert page.headers["cache-control"] == "public, max-age=60"
    assert visitor.head("/board").headers["location"] == "/local/site/moved-away/board"
    # A form is sent again as it is.
    sent = visitor.post("/contact", {"body": "Hello"})
    assert (sent.status, sent.headers["location"]) == (308, "/local/site/moved-away/contact")

    api.patch("/v1/site", {"enabled": False})
    assert visitor.get("/").status == 404


def test_a_slug_that_an_organization_takes_again_leads_nowhere_else(api: Client) -> None:
    visitor = opened(api, title="First")
    api.patch("/v1/organization", {"slug": "moved-away"})
    assert visitor.get("/").status == 301

    api.patch("/v1/organization", {"slug": visitor.slug})

    assert visitor.get("/").words("h1") == "First"
    assert Visitor("moved-away").get("/").headers["location"] == f"/local/site/{visitor.slug}/"


def test_a_slug_that_went_to_another_organization_after_a_year_is_theirs(
    api: Client, stranger: Client
) -> None:
    visitor, other = opened(api, title="First"), opened(stranger, title="Second")
    assert visitor.get("/").words("h1") == "First"
    api.patch("/v1/organization", {"slug": "moved-away"})
    later = clock.now_us() + 366 * DAY_MS * 1_000

    with clock.frozen(lambda: later):
        assert visitor.get("/").status == 404
        stranger.patch("/v1/organization", {"slug": visitor.slug})

        assert visitor.get("/").words("h1") == "Second"
        assert other.get("/").status == 301


def test_every_page_forbids_foreign_scripts_frames_and_foreign_forms(api: Client) -> None:
    visitor = opened(api)
    for path in ("/", "/nowhere"):
        headers = visitor.get(path).headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; style-src 'self'; img-src 'self' https: data:; font-src data:; connect-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "set-cookie" not in headers


def test_a_page_is_kept_for_a_minute_and_asked_for_by_its_tag(api: Client) -> None:
    visitor = opened(api)
    first = visitor.get("/")

    again = visitor.get("/", if_none_match=first.headers["etag"])

    assert first.headers["cache-control"] == "public, max-age=60, stale-while-revalidate=300"
    assert (again.status, again.text) == (304, "")
    assert again.headers["etag"] == first.headers["etag"]
    api.patch("/v1/site", {"title": "Another"})
    assert visitor.get("/", if_none_match=first.headers["etag"]).status == 200


def test_a_page_is_compressed_for_a_browser_that_accepts_it(api: Client) -> None:
    visitor = opened(api)

    packed = visitor.get("/", accept_encoding="gzip, br")

    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "accept-language, cookie, accept-encoding"
    assert packed.text == visitor.get("/").text
    assert packed.headers["etag"] != visitor.get("/").headers["etag"]


def test_a_page_that_is_missing_is_not_kept(api: Client) -> None:
    assert opened(api).get("/nowhere").headers["cache-control"] == "no-store"


def test_the_style_sheet_is_kept_forever_under_a_name_of_its_content(api: Client) -> None:
    visitor = opened(api)
    address = str(visitor.get("/").one("link[rel=stylesheet]").attributes["href"])

    sheet = visitor.get(address.removeprefix(f"/local/site/{visitor.slug}"))

    assert sheet.status == 200
    assert sheet.headers["content-type"] == "text/css; charset=utf-8"
    assert sheet.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert visitor.get("/assets/site.000000000000.css").status == 404


def test_a_script_is_kept_forever_under_a_name_of_its_content(api: Client) -> None:
    visitor = opened(api)
    for name in ("thread", "return", "search"):
        address = assets.script_path(name)
        script = visitor.get(address)

        assert (script.status, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
        assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
        # The page of another release gets a script, and asks again soon.
        old = visitor.get(f"/assets/{name}.000000000000.js")
        assert (old.text, old.headers["cache-control"]) == (script.text, sending.PUBLIC["cache-control"])
    assert visitor.get("/assets/paper.000000000000.js").status == 404


def test_the_sitemap_names_the_posts_that_everyone_sees(api: Client) -> None:
    visitor = opened(api, showBoard=True, showContact=False)
    number = api.post("/v1/board/posts", {"title": "Dark mode", "body": "Please"}).body["number"]
    spam = api.post("/v1/board/posts", {"title": "Cheap pills", "body": "Now"}).body["id"]
    assert api.patch(f"/v1/board/posts/{spam}", {"isSpam": True}).status == 200

    addresses = re.findall(
        r"<loc>https://[^/]+/local/site/[^/]+(/[^<]*)</loc>", visitor.get("/sitemap.xml").text
    )

    assert addresses == ["/", "/board", "/board/roadmap", f"/board/{number}-dark-mode"]
    api.patch("/v1/site", {"showBoard": False})
    assert "/board" not in visitor.get("/sitemap.xml").text


def test_the_mark_is_in_the_footer_until_the_organization_hides_it(
    api: Client, organization: NewOrganization
) -> None:
    visitor = opened(api)
    assert visitor.get("/").words(".attribution") == "Powered by Helpdesk"

    organizations.set_plan(organization.organization_id, Plan.PRO, api_limits=True, unlimited_api=False)
    api.post("/v1/billing/branding", {"showBranding": False})

    assert visitor.get("/").html.css(".attribution") == []


def test_a_page_is_one_read_once_its_slug_is_known(api: Client) -> None:
    visitor = opened(api)
    with recorded_calls() as first:
        visitor.get("/")
    with recorded_calls() as second:
        visitor.get("/")

    assert first == ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Query"]
    assert second == ["dynamodb:BatchGetItem"]


def test_a_failure_shows_a_page_without_its_reason(
    api: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = opened(api)

    def fail(*_: object, **__: object) -> None:
        raise ValueError("a secret")

    monkeypatch.setattr("helpdesk.site.folders.show_home", fail)
    page = visitor.get("/")

    assert page.status == 500
    assert page.words("h1") == "Something went wrong"
    assert "secret" not in page.text + caplog.text


def test_a_path_of_another_group_in_a_sites_path_stays_in_the_site(api: Client) -> None:
    visitor = opened(api)

    event = gateway_event("GET", f"/base/site/{visitor.slug}/v1/logs")

    assert visitor._page(event).words("h1") == "Page not found"


def test_head_is_answered_as_get_without_the_body(api: Client) -> None:
    visitor = opened(api)
    got = visitor.get("/", accept_encoding="gzip")
    head = visitor.head("/", accept_encoding="gzip")

    kept = {"etag", "cache-control", "vary", "content-type", "content-encoding", "content-security-policy"}
    assert (head.status, head.text) == (200, "")
    assert {name: head.headers[name] for name in kept} == {name: got.headers[name] for name in kept}
    assert visitor.head("/", if_none_match=got.headers["etag"], accept_encoding="gzip").status == 304
    assert visitor.head("/articles/none").status == 404
    assert (visitor.head("/search").status, visitor.head("/search").text) == (200, "")
