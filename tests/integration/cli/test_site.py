"""The help site on the command line."""

from pathlib import Path

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform.settings import settings
from helpdesk.site import gaps
from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.openid import Provider


def test_the_site_is_opened_and_documents_are_published(owner: Cli, api: Client) -> None:
    document = api.post("/v1/knowledge/documents", {"title": "Refunds", "body": "Text"}).body["id"]
    folder = api.post("/v1/knowledge/folders", {"name": "Help"}).body["id"]
    assert "the organization's name" in owner.ok("site", "show")

    said = owner.ok("site", "enable", "--title", "Acme help")

    assert said.startswith("The help site is open.\n")
    assert owner.json("site", "show")["title"] == "Acme help"
    assert owner.ok("site", "publish", document, folder) == "2 published.\n"
    assert api.get(f"/v1/knowledge/documents/{document}").body["document"]["published"] is True
    assert api.get("/v1/knowledge/folders").body["folders"][0]["published"] is True
    owner.ok("site", "publish", document, "--off")
    assert api.get(f"/v1/knowledge/documents/{document}").body["document"]["published"] is False
    assert owner.ok("site", "enable", "--off").startswith("The help site is off.\n")
    assert owner.run("site", "publish", "doc_unknown").exit_code != 0


def test_settings_of_the_site_are_set_and_cleared(owner: Cli, api: Client) -> None:
    said = owner.ok(
        *("site", "set", "--title", "Acme", "--intro", "Ask us", "--logo", "https://acme.example/l.png"),
        *("--language", "de", "--board", "--no-contact", "--link", "Status", "https://status.acme.example"),
        *("--link", "Mail", "mailto:help@acme.example", "--widget-origin", "https://acme.example"),
    )

    assert "Status: https://status.acme.example" in said
    assert "https://acme.example/l.png" in said
    saved = api.get("/v1/site").body
    assert saved == {
        "enabled": False,
        "url": saved["url"],
        "title": "Acme",
        "intro": "Ask us",
        "logoUrl": "https://acme.example/l.png",
        "language": "de",
        "showBoard": True,
        "showContact": False,
        "votesNeedSignIn": False,
        "footerLinks": [
            {"label": "Status", "url": "https://status.acme.example"},
            {"label": "Mail", "url": "mailto:help@acme.example"},
        ],
        "widgetOrigins": ["https://acme.example"],
    }

    cleared = ("--title", "none", "--intro", "none", "--logo", "none", "--language", "none", "--no-links")
    after = owner.json("site", "set", *cleared)
    assert after == saved | {"title": None, "intro": "", "logoUrl": None, "language": None, "footerLinks": []}
    for more in ([], ["--link", "A", "https://a.example", "--no-links"], ["--language", "xx"]):
        assert owner.run("site", "set", *more).exit_code == 2


def test_articles_and_searches_that_found_nothing_are_listed(
    owner: Cli, api: Client, organization: NewOrganization
) -> None:
    assert "No document is published" in owner.ok("site", "articles")
    assert "Every search of the last 90 days found something" in owner.ok("site", "searches")
    document = {"title": "Refunds", "body": "Text", "published": True}
    made = api.post("/v1/knowledge/documents", document).body["id"]
    gaps.note(organization.organization_id, "warranty")

    row = owner.ok("site", "articles").splitlines()[1]
    assert row.split() == ["0", "0", "0", "0", "Refunds", made]
    assert owner.json("site", "articles")["articles"][0]["documentId"] == made
    assert owner.ok("site", "searches").splitlines()[1].endswith("warranty")
    assert owner.json("site", "searches")["searches"][0]["count"] == 1


def test_the_attribution_mark_is_hidden_on_the_pro_plan_and_shown_again(
    owner: Cli, api: Client, organization: NewOrganization
) -> None:
    organizations.set_plan(organization.organization_id, Plan.PRO, api_limits=False, unlimited_api=False)

    assert owner.ok("site", "branding", "hide") == "The attribution mark is hidden.\n"
    assert api.get("/v1/organization").body["showBranding"] is False
    assert owner.ok("site", "branding", "show") == "The attribution mark is shown.\n"
    assert api.get("/v1/organization").body["showBranding"] is True


def test_the_look_is_shown_and_changed(owner: Cli, api: Client, tmp_path: Path) -> None:
    assert "the theme's own" in owner.ok("site", "appearance")
    css = tmp_path / "ours.css"
    css.write_text("h1 { color: teal }", encoding="utf-8")

    said = owner.ok(
        *("site", "appearance", "set", "--scheme", "light", "--navigation", "top", "--accent", "#0a6"),
        *("--css-file", str(css)),
    )

    assert said.startswith("Saved.\n")
    assert "18 characters" in said
    expected = {"theme": "paper", "scheme": "light", "navigation": "top", "accent": "#00aa66"}
    assert api.get("/v1/site/appearance").body == {**expected, "css": "h1 { color: teal }"}
    assert owner.ok("site", "appearance", "show", "--css") == "h1 { color: teal }"

    owner.ok("site", "appearance", "set", "--accent", "none", "--no-css")
    after = owner.json("site", "appearance")
    assert after == {**expected, "accent": None, "css": ""}


def test_a_refused_stylesheet_names_its_line(owner: Cli, tmp_path: Path) -> None:
    css = tmp_path / "ours.css"
    css.write_text("a {}\n@import 'x';", encoding="utf-8")

    refused = owner.run("site", "appearance", "set", "--css-file", str(css))

    assert refused.exit_code == 1
    assert "line 2: @import is not allowed" in refused.stderr


def test_nothing_to_change_is_a_mistake_in_the_command(owner: Cli, tmp_path: Path) -> None:
    latin = tmp_path / "latin.css"
    latin.write_bytes(b"a { content: '\xe9' }")

    for more in ([], ["--css-file", str(latin)], ["--css-file", str(latin), "--no-css"]):
        assert owner.run("site", "appearance", "set", *more).exit_code == 2


def test_sign_in_is_shown_and_set(owner: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()
    assert "median, a code by mail" in owner.ok("site", "sign-in")
    said = owner.ok("site", "sign-in", "set", "app", "--app-url", "https://app.example.com/help")
    assert "https://app.example.com/help" in said

    with Provider() as provider:
        sent = ("--issuer", provider.issuer, "--client-id", "client-1")
        said = owner.ok("site", "sign-in", "set", "oidc", *sent, "--new-secret", stdin="secret-of-client-1\n")
        assert "client-1, secret …nt-1" in said
        assert "secret-of" not in said
        owner.ok("site", "sign-in", "set", "oidc", *sent)
    assert owner.json("site", "sign-in")["oidc"]["secretHint"] == "nt-1"


def test_half_a_provider_is_a_mistake_in_the_command(owner: Cli) -> None:
    for more in (["--issuer", "https://i.example"], ["--client-id", "c"], ["--new-secret"]):
        assert owner.run("site", "sign-in", "set", "oidc", *more).exit_code == 2
