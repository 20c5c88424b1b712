"""Articles and folders on the site: what is shown of a published document, and nothing of another."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import document_store
from helpdesk.platform import clock
from helpdesk.site import article_cache, articles, contents, rendering
from tests.integration.site.conftest import Dice
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.knowledge import add, texts
from tests.support.rules import for_each
from tests.support.site import Visitor, opened

BODY = """# Refunds

Send it back *within* 30 days.

## How long it takes

Five days.

```python
print("paid")
```

## Where to ask

| who | when |
|---|---|
| us | now |
"""


@pytest.fixture
def visitor(api: Client) -> Visitor:
    return opened(api, title="Acme help")


def folder(api: Client, name: str, **more: Any) -> str:
    return str(api.post("/v1/knowledge/folders", {"name": name, **more}).body["id"])


def publish(api: Client, title: str, body: str = BODY, **more: Any) -> str:
    return add(api, title, body, published=True, **more)


def test_a_published_document_is_a_page(api: Client, visitor: Visitor) -> None:
    publish(api, "Refunds")

    page = visitor.get("/articles/refunds")

    assert page.status == 200
    assert page.words("h1") == "Refunds"
    assert page.one("title").text() == "Refunds · Acme help"
    assert [each.text() for each in page.html.css(".prose h2")] == ["How long it takes", "Where to ask"]
    assert page.links(".toc") == {"How long it takes": "#how-long-it-takes", "Where to ask": "#where-to-ask"}
    assert page.one(".prose h2#where-to-ask").text() == "Where to ask"
    assert page.one("pre.code code span.nb").text() == "print"
    assert len(page.html.css(".scroll table td")) == 2
    assert page.one("meta[name=description]").attributes["content"] == "Send it back within 30 days."
    assert str(page.one("link[rel=canonical]").attributes["href"]).endswith(
        f"/site/{visitor.slug}/articles/refunds"
    )
    assert "Last updated" in page.words(".meta")


def test_a_large_site_lists_the_open_topic_alone_and_no_more_of_it_than_fits(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    billing, other = folder(api, "Billing", published=True), folder(api, "Delivery", published=True)
    for number in range(1, 6):
        add(api, f"Invoice {number}", "Text.", folderId=billing)
    add(api, "Parcels", "Text.", folderId=other)
    whole = ["Invoice 1", "Invoice 2", "Invoice 3", "Invoice 4", "Invoice 5", "Parcels"]
    assert list(visitor.get("/articles/invoice-4").links("nav.folders")) == whole

    monkeypatch.setattr(rendering, "MOST_UNFOLDED", 5)
    monkeypatch.setattr(rendering, "MOST_OF_A_TOPIC", 3)
    links = visitor.get("/articles/invoice-4").links("nav.folders")

    assert list(links) == ["Invoice 3", "Invoice 4", "Invoice 5", "5 articles", "Delivery"]
    assert [
        visitor.get(links[name].split(visitor.slug)[1]).words("h1") for name in ("5 articles", "Delivery")
    ] == [
        "Billing",
        "Delivery",
    ]
    assert "Invoice 1" in visitor.get(links["5 articles"].split(visitor.slug)[1]).links("main")


def test_an_internal_document_is_not_found_and_not_listed(api: Client, visitor: Visitor) -> None:
    add(api, "Secret margins", "We earn a lot.")
    publish(api, "Refunds")

    assert visitor.get("/articles/secret-margins").text == visitor.get("/articles/nothing").text
    assert visitor.get("/articles/secret-margins.md").status == 404
    for path in ("/", "/sitemap.xml", "/llms.txt", "/articles/refunds"):
        assert "ecret" not in visitor.get(path).text, path


def test_a_document_of_another_organization_is_not_found(stranger: Client, visitor: Visitor) -> None:
    publish(stranger, "Refunds")
    opened(stranger)

    assert visitor.get("/articles/refunds").status == 404
    assert visitor.get("/").html.css(".articles a") == []


def test_a_document_in_a_published_folder_is_a_page_until_the_folder_is_internal(
    api: Client, visitor: Visitor
) -> None:
    outer = folder(api, "Billing", published=True)
    inner = folder(api, "Refunds", parentId=outer)
    add(api, "Money back", "Soon.", folderId=inner)
    page = visitor.get("/articles/money-back")

    assert page.status == 200
    assert list(page.links(".crumbs")) == ["Home", "Billing", "Refunds"]
    api.patch(f"/v1/knowledge/folders/{outer}", {"published": False})
    assert visitor.get("/articles/money-back").status == 404


def test_a_former_address_leads_to_the_present_one(api: Client, visitor: Visitor) -> None:
    document_id = publish(api, "Refunds")
    api.patch(f"/v1/knowledge/documents/{document_id}", {"slug": "money-back"})

    page = visitor.get("/articles/refunds")

    assert page.status == 301
    assert page.headers["location"] == f"/local/site/{visitor.slug}/articles/money-back"
    assert visitor.get("/articles/refunds.md").headers["location"].endswith("/articles/money-back.md")
    assert visitor.get("/articles/money-back").status == 200


def test_a_former_address_of_an_internal_document_leads_nowhere(api: Client, visitor: Visitor) -> None:
    document_id = publish(api, "Refunds")
    api.patch(f"/v1/knowledge/documents/{document_id}", {"slug": "money-back", "published": False})

    assert visitor.get("/articles/refunds").status == 404


def test_a_deleted_page_says_that_it_is_gone_and_a_deleted_internal_one_does_not(
    api: Client, visitor: Visitor
) -> None:
    api.delete(f"/v1/knowledge/documents/{publish(api, 'Refunds')}")
    api.delete(f"/v1/knowledge/documents/{add(api, 'Margins', 'Text')}")

    gone = visitor.get("/articles/refunds")

    assert (gone.status, gone.words("h1")) == (410, "This page was removed")
    assert visitor.get("/articles/margins").status == 404


def test_an_unpublished_document_is_not_found_at_once(api: Client, visitor: Visitor) -> None:
    document_id = publish(api, "Refunds")
    assert visitor.get("/articles/refunds").status == 200

    api.patch(f"/v1/knowledge/documents/{document_id}", {"published": False})

    assert visitor.get("/articles/refunds").status == 404


def test_a_new_text_is_shown_at_once(api: Client, visitor: Visitor) -> None:
    document_id = publish(api, "Refunds")
    visitor.get("/articles/refunds")

    api.patch(f"/v1/knowledge/documents/{document_id}", {"body": "Never."})

    assert visitor.get("/articles/refunds").words(".prose") == "Never."


def test_pages_of_a_folder_lead_to_each_other(api: Client, visitor: Visitor) -> None:
    place = folder(api, "Steps", published=True)
    for number in (10, 2, 1):
        add(api, f"Step {number}", "Text", folderId=place)

    page = visitor.get("/articles/step-2")

    assert str(page.one("a[rel=prev]").attributes["href"]).endswith("/articles/step-1")
    assert str(page.one("a[rel=next]").attributes["href"]).endswith("/articles/step-10")
    assert page.one("[aria-current=page]").text() == "Step 2"


def test_a_link_to_another_file_leads_to_its_page_and_to_an_internal_one_nowhere(
    api: Client, visitor: Visitor
) -> None:
    body = "[Install](../setup/install.md#linux) and [margins](margins.md) and [top](#top) and [out](https://a.example/)"
    publish(api, "Start", body, path="guides/start.md")
    publish(api, "Install", "Text", path="setup/install.md")
    add(api, "Margins", "Text", path="guides/margins.md")

    found = visitor.get("/articles/start").links(".prose")

    assert found == {
        "Install": f"/local/site/{visitor.slug}/articles/install#linux",
        "top": "#top",
        "out": "https://a.example/",
    }


def test_a_link_stays_within_the_folder_that_was_pushed_on_its_own(api: Client, visitor: Visitor) -> None:
    body = "[Install](../setup/install.md) [Root](/setup/install.md) [Page](../setup/install) [Out](../../install.md)"
    publish(api, "Start", body, path="Kettle//guides/start.md")
    publish(api, "Install", "Text", path="Kettle//setup/install.md")
    publish(api, "Another", "Text", path="setup/install.md")
    publish(api, "Above", "Text", path="install.md")

    found = visitor.get("/articles/start").links(".prose")

    install = f"/local/site/{visitor.slug}/articles/install"
    assert found == {"Install": install, "Root": install, "Page": install}


def test_the_home_page_has_folders_articles_and_what_is_read_most(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(api, "Billing", published=True)
    folder(api, "Empty", published=True)
    add(api, "Refunds", "Text", folderId=place)
    publish(api, "Welcome")
    monkeypatch.setattr(articles, "_dice", Dice(0))
    visitor.get("/articles/refunds")
    visitor.get("/articles/welcome", user_agent="Googlebot/2.1")
    contents.forget()

    page = visitor.get("/")

    assert list(page.links(".cards")) == ["Billing"]
    assert page.words(".cards .meta") == "1 article"
    lists = [[link.text() for link in each.css("a")] for each in page.html.css(".articles")]
    assert lists == [["Refunds"], ["Welcome"]]


def test_a_folder_shows_its_subfolders_and_articles(api: Client, visitor: Visitor) -> None:
    outer = folder(api, "Billing & more", published=True)
    inner = folder(api, "Refunds", parentId=outer)
    add(api, "Inner", "Text", folderId=inner)
    add(api, "Outer", "Text", folderId=outer)
    address = visitor.get("/").links(".cards")["Billing & more"]
    path = address.removeprefix(f"/local/site/{visitor.slug}")

    page = visitor.get(path)

    assert path.startswith("/folders/billing-more-")
    assert page.words("h1") == "Billing & more"
    assert list(page.links("main .cards")) == ["Refunds"]
    assert list(page.links("main .articles")) == ["Outer"]
    api.patch(f"/v1/knowledge/folders/{outer}", {"name": "Money"})
    contents.forget()
    moved = visitor.get(path)
    assert (moved.status, moved.headers["location"].rpartition("/")[2][:6]) == (301, "money-")


def test_a_folder_without_published_documents_is_not_found(api: Client, visitor: Visitor) -> None:
    place = folder(api, "Internal")
    add(api, "Margins", "Text", folderId=place)

    assert visitor.get(f"/folders/internal-{place[-6:]}").status == 404
    assert visitor.get("/folders/-").status == 404


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/articles/refunds.md", {}), ("/articles/refunds", {"accept": "text/markdown, text/plain;q=0.5"})],
)
def test_a_program_gets_markdown(api: Client, visitor: Visitor, path: str, headers: dict[str, str]) -> None:
    publish(api, "Refunds")

    page = visitor.get(path, **headers)

    assert page.headers["content-type"] == "text/markdown; charset=utf-8"
    assert page.text == BODY.strip() or page.text == BODY
    assert "accept" in page.headers["vary"]


def test_programs_find_every_page(api: Client, visitor: Visitor) -> None:
    place = folder(api, "Billing", published=True)
    add(api, "Refunds [new]", "Text", folderId=place)
    publish(api, "Welcome & more")

    sitemap, llms = visitor.get("/sitemap.xml"), visitor.get("/llms.txt")
    root = visitor.get("/robots.txt").text.split("Sitemap: ")[1].strip().removesuffix("/sitemap.xml")

    assert sitemap.headers["content-type"] == "application/xml; charset=utf-8"
    addresses = [part.partition("</loc>")[0] for part in sitemap.text.split("<loc>")[1:]]
    assert addresses[0] == f"{root}/"
    assert addresses[2:] == [
        f"{root}/articles/refunds-new",
        f"{root}/articles/welcome-more",
        f"{root}/contact",
    ]
    assert llms.text.splitlines() == [
        "# Acme help",
        "",
        f"- [Welcome & more]({root}/articles/welcome-more.md)",
        "",
        "## Billing",
        "",
        f"- [Refunds \\[new\\]]({root}/articles/refunds-new.md)",
    ]


def test_an_article_is_two_reads_at_most_while_the_environment_remembers_lists(
    api: Client, visitor: Visitor
) -> None:
    publish(api, "Refunds")
    with recorded_calls() as first:
        visitor.get("/articles/refunds")
    article_cache.forget()
    with recorded_calls() as kept:
        visitor.get("/articles/refunds")
    with recorded_calls() as again:
        visitor.get("/articles/refunds")

    batch, lists = "dynamodb:BatchGetItem", ["dynamodb:Query", "dynamodb:Query"]
    made = ["s3:GetObject", "s3:GetObject", "s3:PutObject"]
    assert first == ["dynamodb:GetItem", batch, *lists, *made]
    assert kept == [batch, "s3:GetObject"]
    assert again == [batch]


def test_lists_are_read_again_after_fifteen_seconds(api: Client, visitor: Visitor) -> None:
    at = 1_800_000_000_000_000
    with clock.frozen(lambda: at):
        visitor.get("/")
        publish(api, "Refunds")
        assert visitor.get("/").html.css(".articles a") == []
    with clock.frozen(lambda: at + 15_000_000):
        assert list(visitor.get("/").links(".articles")) == ["Refunds"]


def test_folders_are_read_again_only_after_one_has_changed(api: Client, visitor: Visitor) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Money", "published": True}).body["id"]
    publish(api, "Refunds", folderId=folder)
    batch, query = "dynamodb:BatchGetItem", "dynamodb:Query"
    at = 1_800_000_000_000_000

    def opened_at(seconds: int) -> tuple[list[str], list[str]]:
        with clock.frozen(lambda: at + seconds * 1_000_000), recorded_calls() as calls:
            page = visitor.get("/articles/refunds")
        return [each for each in calls if each.startswith("dynamodb")], list(page.links(".crumbs"))

    opened_at(0)
    assert opened_at(15) == ([batch, query], ["Home", "Money"])
    assert api.patch(f"/v1/knowledge/folders/{folder}", {"name": "Payments"}).status == 200
    assert opened_at(30) == ([batch, query, query], ["Home", "Payments"])
    assert opened_at(45) == ([batch, query], ["Home", "Payments"])


def test_the_html_goes_with_its_text(api: Client, visitor: Visitor, organization: NewOrganization) -> None:
    document_id = publish(api, "Refunds")
    visitor.get("/articles/refunds")
    [text, html] = texts()
    assert html == f"{text}.html"

    document_store.delete([text])

    assert texts() == []
    assert document_id


def test_a_text_that_is_replaced_during_a_view_is_read_again(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = publish(api, "Refunds", "Old.")
    [old] = texts()
    whole = article_cache.load

    def replaced(page: Any) -> Any:
        if page.text_key == old:
            api.patch(f"/v1/knowledge/documents/{document_id}", {"body": "New."})
            document_store.delete([old])
        return whole(page)

    monkeypatch.setattr(article_cache, "load", replaced)

    assert visitor.get("/articles/refunds").words(".prose") == "New."


@for_each("name", ["a%23b", "%2e%2e", "x" * 300, "%F0%9F%98%80", "a%00b", ".md", "%"])
def test_an_address_that_no_document_can_have_is_not_found(visitor: Visitor, name: str) -> None:
    assert visitor.get(f"/articles/{name}").status == 404


def test_a_slug_of_another_script_is_an_address(api: Client, visitor: Visitor) -> None:
    publish(api, "返品について")
    address = visitor.get("/").links(".articles")["返品について"]

    assert visitor.get(address.removeprefix(f"/local/site/{visitor.slug}")).words("h1") == "返品について"
