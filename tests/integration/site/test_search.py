"""Search on the site: what is published, by words and by meaning, and what was not found."""

import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import retrieval, searching
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.snippets import marked
from helpdesk.site import search
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.knowledge import add, jobs, read, work
from tests.support.site import Visitor, opened


@pytest.fixture
def visitor(api: Client) -> Visitor:
    add(api, "Refunds", "# Refunds\n\nSend the **parcel** back within [30 days](x.md).", published=True)
    add(api, "Invoices", "Invoices are under *Account*, then Billing.", published=True)
    add(api, "Margins", "Our margins on refunds are secret.")
    work(*jobs())
    return opened(api, title="Acme")


def test_a_search_finds_published_documents_with_a_passage(visitor: Visitor) -> None:
    page = visitor.get("/search?q=send+a+parcel+back")

    assert page.status == 200
    assert page.html.css("main .articles a")[0].text() == "Refunds"
    assert "Send the parcel back within 30 days." in page.html.css(".excerpt")[0].text()
    assert page.headers["cache-control"] == "no-store"
    assert "ecret" not in page.text


MDX = """import useBaseUrl from '@docusaurus/useBaseUrl';

# Kettle {#kettle}

<div className="browser"><img src={useBaseUrl('/img/kettle.png')} /></div>

:::important
Descale the **kettle** with vinegar each month.
:::
"""


def test_what_only_a_websites_generator_reads_reaches_no_reader(api: Client, visitor: Visitor) -> None:
    document = add(api, "Kettle", MDX, published=True)
    work(*jobs())

    excerpt = visitor.get("/search?q=descale+the+kettle+with+vinegar").html.css(".excerpt")[0].text()
    asked = api.post("/v1/agent/test", {"question": "How do I descale the kettle with vinegar?"})
    quoted = asked.body["passages"][0]["text"]
    program = visitor.get("/articles/kettle.md").text

    assert excerpt == "Descale the kettle with vinegar each month."
    assert quoted == "Descale the **kettle** with vinegar each month."
    assert program == "# Kettle\n\nDescale the **kettle** with vinegar each month.\n"
    assert read(api, document)["body"] == MDX


def test_the_words_that_were_found_are_marked(visitor: Visitor) -> None:
    page = visitor.get("/search?q=parcel+returned+back")

    assert [each.text() for each in page.html.css(".excerpt mark")] == ["parcel", "back"]


def test_results_go_on_on_the_next_page(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "RESULTS", 2)
    for number in range(3):
        add(api, f"Card {number}", "A card is charged when the order is packed.", published=True)
    work(*jobs())

    first = visitor.get("/search?q=cards+charged")
    second = visitor.get(first.links()["Next"].partition(visitor.slug)[2])

    assert first.words("main [role=status]") == "Results 1 to 2 of 3"
    assert second.words("main [role=status]") == "Results 3 to 3 of 3"
    assert {*first.links("main .results"), *second.links("main .results")} == {"Card 0", "Card 1", "Card 2"}
    assert second.links()["Previous"].endswith("/search?q=cards+charged&page=1")
    assert "Next" not in second.links()
    for beyond in ("9999", "0", "-1", "x"):
        assert visitor.get(f"/search?q=cards+charged&page={beyond}").html.css(".results a"), beyond


def typed(visitor: Visitor, text: str) -> list[dict[str, Any]]:
    """Return what the search box offers for what was typed."""
    articles: list[dict[str, Any]] = json.loads(visitor.get(f"/search/titles?q={text}").text)["articles"]
    return articles


def test_titles_of_published_articles_are_offered_while_someone_types(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    refunds = {"title": "Refunds", "path": visitor.get("/").links()["Refunds"]}

    assert typed(visitor, "parc") == [refunds]
    assert typed(visitor, "ref") == [refunds]
    assert typed(visitor, "margins") == []
    assert typed(visitor, "") == []
    monkeypatch.setattr(search, "MOST_TITLES", 1)
    assert len(typed(visitor, "i")) == 1


def test_offered_titles_are_kept_for_a_minute_and_are_no_page_for_search_engines(visitor: Visitor) -> None:
    answer = visitor.get("/search/titles?q=ref")

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "public, max-age=60"
    assert answer.headers["x-robots-tag"] == "noindex"
    assert visitor.get("/search/titles?q=ref", if_none_match=answer.headers["etag"]).status == 304


def test_a_title_is_found_before_it_is_indexed(api: Client, visitor: Visitor) -> None:
    add(api, "Gift wrapping", "Text", published=True)

    assert "Gift wrapping" in visitor.get("/search?q=wrapping+GIFT").links("main")


def test_no_word_of_a_withdrawn_document_is_found_though_lists_show_it_a_while(
    api: Client, visitor: Visitor
) -> None:
    assert "parcel" in visitor.get("/search?q=refunds").words("main")
    [refunds] = [
        each for each in api.get("/v1/knowledge/documents").body["documents"] if each["title"] == "Refunds"
    ]

    assert api.patch(f"/v1/knowledge/documents/{refunds['id']}", {"published": False}).status == 200

    page = visitor.get("/search?q=refunds")
    assert "parcel" not in page.words("main")
    assert "Refunds" not in page.links("main")


def test_many_internal_documents_hide_no_published_one(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "CANDIDATES", 4)
    for number in range(8):
        add(api, f"Refunds {number}", "How refunds of a parcel that is sent back within 30 days are booked.")
    work(*jobs())

    assert list(visitor.get("/search?q=refund+for+a+parcel+sent+back").links("main .articles")) == ["Refunds"]


def test_what_is_searched_for_is_escaped(visitor: Visitor) -> None:
    page = visitor.get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22")

    assert [each.text() for each in page.html.css("script")] == [""]
    assert page.one("main input[name=q]").attributes["value"] == '<script>alert(1)</script>"'


def test_a_search_that_finds_nothing_is_counted_for_the_team(api: Client, visitor: Visitor) -> None:
    for words in ("zebra+crossing", "Zebra++Crossing", "unicorns"):
        assert "Nothing was found" in visitor.get(f"/search?q={words}").words()

    answer = api.get("/v1/site/searches")

    assert [(each["query"], each["count"]) for each in answer.body["searches"]] == [
        ("unicorns", 1),
        ("zebra crossing", 2),
    ]
    first = api.get("/v1/site/searches?limit=1").body
    rest = api.get(f"/v1/site/searches?limit=1&cursor={first['nextCursor']}").body
    assert rest["searches"][0]["query"] == "zebra crossing"


def test_words_that_become_an_alias_are_no_longer_listed_as_searched_in_vain(
    api: Client, visitor: Visitor, stranger: Client
) -> None:
    for words in ("Zebra+crossing", "unicorns"):
        visitor.get(f"/search?q={words}")
    document_id = api.post("/v1/knowledge/documents", {"title": "Roads", "body": "Stripes."}).body["id"]
    at = f"/v1/knowledge/documents/{document_id}/aliases"

    added = api.post(at, {"alias": " zebra  Crossing"})
    again = api.post(at, {"alias": "ZEBRA crossing"})

    assert (added.status, added.body["document"]["aliases"]) == (200, ["zebra  Crossing"])
    assert again.status == 200
    assert [each["query"] for each in api.get("/v1/site/searches").body["searches"]] == ["unicorns"]
    assert stranger.post(at, {"alias": "unicorns"}).code == "knowledge_doc_not_found"
    assert (
        api.post(at, {"alias": " "}).message == "`alias` must be 1 to 120 characters, and must not be blank."
    )


def test_words_that_no_section_has_together_are_counted_though_their_article_is_listed(
    api: Client, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "LISTED_SCORE", 2)  # no article is about the same
    monkeypatch.setattr(searching, "FITTING_SCORE", 2)
    add(api, "Terms", "# Terms\n\n## Invoices\n\nBy mail.\n\n## Waiting\n\nThirty days.", published=True)
    work(*jobs())

    for words in ("mail+days", "invoices+mail"):
        assert list(visitor.get(f"/search?q={words}").links("main .results")) == ["Terms"], words

    assert [each["query"] for each in api.get("/v1/site/searches").body["searches"]] == ["mail days"]


@pytest.mark.parametrize("words", ["ada%40example.com", "order+4711+0815", "", "+"])
def test_a_search_that_may_be_about_a_person_is_not_kept(api: Client, visitor: Visitor, words: str) -> None:
    assert visitor.get(f"/search?q={words}").status == 200

    assert api.get("/v1/site/searches").body["searches"] == []


def test_searches_of_another_organization_are_not_seen(stranger: Client, visitor: Visitor) -> None:
    visitor.get("/search?q=zebra")

    assert stranger.get("/v1/site/searches").body["searches"] == []
    assert stranger.get("/v1/site/articles").body["articles"] == []


@pytest.mark.parametrize("path", ["/search", "/search/titles"])
def test_searches_of_one_address_are_limited(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    from helpdesk.api.admission import anonymous  # noqa: PLC0415

    monkeypatch.setattr(anonymous, "RATES", {limit: anonymous.HourlyRate(60, 2) for limit in anonymous.RATES})

    pages = [visitor.get(f"{path}?q=refunds") for _ in range(3)]

    assert [page.status for page in pages] == [200, 200, 429]
    assert pages[2].words("h1") == "Too many requests"
    assert int(pages[2].headers["retry-after"]) >= 1
    visitor.address = "203.0.113.9"
    assert visitor.get(f"{path}?q=refunds").status == 200


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## A\n\n- *b* and `c`\n1. [d](e)\n> f", "A b and c d f"),
        ("snake_case and a*b, 2 * 3 and a < b > c", "snake_case and a*b, 2 * 3 and a < b > c"),
        (r"\_\_init\_\_ &amp; \<Foo/>", "__init__ & <Foo/>"),
        ("```sh\nmake\n```", "make"),
        ("![i](x)<b>y</b>", "iy"),
        ("The header is `t=<ms>,v1=<hex>`.", "The header is t=<ms>,v1=<hex>."),
        ("```\n<id> | *all*\n```\nor <b>b</b>", "<id> | *all* or b"),
    ],
)
def test_a_passage_is_shown_without_its_marks(text: str, words: str) -> None:
    assert "".join(piece.text for piece in marked(text, [], "en")) == words


def test_a_rating_counts_once_for_each_visitor_and_can_be_changed(
    api: Client, visitor: Visitor, organization: NewOrganization
) -> None:
    assert (
        visitor.post("/articles/refunds/rating", {"helpful": "no"}).words(".notice")
        == "Thank you for your answer."
    )
    visitor.post("/articles/refunds/rating", {"helpful": "no"})
    visitor.post("/articles/refunds/rating", {"helpful": "yes"})
    Visitor(visitor.slug, address="203.0.113.8").post("/articles/refunds/rating", {"helpful": "no"})

    item = table.get(DocumentPage.key_for(organization.organization_id, "refunds"))
    assert item is not None
    assert (item["helpful"], item["unhelpful"]) == (1, 1)
    listed = {each["title"]: each for each in api.get("/v1/site/articles").body["articles"]}
    assert set(listed) == {"Refunds", "Invoices"}
    assert (listed["Refunds"]["helpful"], listed["Refunds"]["unhelpful"]) == (1, 1)
    assert listed["Refunds"]["url"].endswith(f"/site/{visitor.slug}/articles/refunds")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
    ],
)
def test_a_rating_comes_from_the_sites_own_page(
    visitor: Visitor, headers: dict[str, str], status: int
) -> None:
    assert visitor.post("/articles/refunds/rating", {"helpful": "yes"}, **headers).status == status


def test_a_rating_of_what_is_not_published_is_not_found(visitor: Visitor) -> None:
    assert visitor.post("/articles/margins/rating", {"helpful": "yes"}).status == 404
    assert visitor.post("/articles/refunds/rating", {"helpful": "maybe"}).status == 400


def test_a_list_of_articles_continues_by_its_cursor(api: Client, visitor: Visitor) -> None:
    assert visitor.get("/").status == 200
    first = api.get("/v1/site/articles?limit=1").body
    second = api.get(f"/v1/site/articles?limit=1&cursor={first['nextCursor']}").body

    assert {first["articles"][0]["title"], second["articles"][0]["title"]} == {"Refunds", "Invoices"}
    assert second["nextCursor"] is None
