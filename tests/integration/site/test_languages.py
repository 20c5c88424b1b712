"""The language of the pages' own words: the site's, or that of the visitor's browser."""

from tests.support.api import Client
from tests.support.site import opened


def test_without_a_language_each_visitor_has_their_browsers(api: Client) -> None:
    visitor = opened(api)

    german = visitor.get("/", accept_language="de-AT,de;q=0.9,en;q=0.8")
    assert german.one("html").attributes["lang"] == "de"
    assert german.words(".skip") == "Zum Inhalt springen"
    assert "accept-language" in german.headers["vary"]
    unknown = visitor.get("/", accept_language="ja")
    assert (unknown.one("html").attributes["lang"], unknown.words(".skip")) == ("en", "Skip to the content")
    assert visitor.get("/nowhere", accept_language="fr").words("h1") == "Page introuvable"


def test_a_language_of_the_site_is_that_of_every_visitor(api: Client) -> None:
    page = opened(api, language="nl").get("/", accept_language="de")

    assert page.one("html").attributes["lang"] == "nl"
    assert "accept-language" not in page.headers["vary"]


def test_what_people_write_in_another_direction_leaves_the_sentence_around_it_as_it_is(api: Client) -> None:
    visitor = opened(
        api, language="en", title="מרכז העזרה", footerLinks=[{"label": "תנאים", "url": "https://a.test/"}]
    )

    nothing = visitor.get("/search?q=%D7%94%D7%97%D7%96%D7%A8%201")
    assert nothing.one(".empty bdi").text() == "החזר 1"
    assert nothing.words(".empty") == "Nothing was found for “החזר 1”."
    home = visitor.get("/")
    assert home.one("h1").attributes["dir"] == home.one(".footer-links a").attributes["dir"] == "auto"
