"""GET and PATCH /v1/site."""

from typing import Any

from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each


def test_a_site_is_off_until_someone_enables_it(api: Client) -> None:
    answer = api.get("/v1/site")

    assert answer.status == 200
    slug = api.get("/v1/organization").body["slug"]
    assert str(answer.body.pop("url")).endswith(f"/site/{slug}/")
    assert answer.body == {
        "enabled": False,
        "title": None,
        "intro": "",
        "logoUrl": None,
        "language": None,
        "showBoard": False,
        "showContact": True,
        "votesNeedSignIn": False,
        "footerLinks": [],
        "widgetOrigins": [],
    }


def test_sent_settings_change_and_the_others_stay(api: Client) -> None:
    links = [{"label": "Imprint", "url": "https://example.com/imprint"}]
    api.patch("/v1/site", {"title": " Acme \n help ", "footerLinks": links})

    answer = api.patch("/v1/site", {"enabled": True, "intro": "How can we help?", "language": "de"})

    assert answer.status == 200
    assert answer.body == api.get("/v1/site").body
    assert answer.body["title"] == "Acme help"
    assert answer.body["footerLinks"] == links
    assert (answer.body["enabled"], answer.body["intro"], answer.body["language"]) == (
        True,
        "How can we help?",
        "de",
    )


def test_null_takes_a_text_back_to_its_default_and_leaves_a_switch(api: Client) -> None:
    api.patch("/v1/site", {"enabled": True, "title": "Acme", "intro": "Hello", "language": "fr"})

    answer = api.patch("/v1/site", {"enabled": None, "title": None, "intro": None, "language": None})

    assert (answer.body["enabled"], answer.body["title"]) == (True, None)
    assert (answer.body["intro"], answer.body["language"]) == ("", None)


@for_each(
    ("change", "named"),
    [
        ({"logoUrl": "http://example.com/logo.png"}, "`logoUrl`"),
        ({"logoUrl": "javascript:alert(1)"}, "`logoUrl`"),
        ({"logoUrl": "https://user@example.com/"}, "`logoUrl`"),
        *(
            ({"logoUrl": f"https://{host}/logo.png"}, "`logoUrl`")
            for host in (
                "a.example,script-src",
                "a.example;script-src",
                "a'b.example",
                "*.example",
                "a(b).example",
                "a%2cb.example",
                "a..example",
                "a.example:99999",
                "a.example:8o",
                "[::1],a",
            )
        ),
        ({"footerLinks": [{"label": "A", "url": "javascript:alert(1)"}]}, "`footerLinks[0].url`"),
        ({"footerLinks": [{"label": "A", "url": "https:\\\\example.com"}]}, "`footerLinks[0].url`"),
        ({"footerLinks": [{"label": "A", "url": "https://example.com"}] * 11}, "`footerLinks`"),
    ],
)
def test_a_setting_that_a_page_could_not_show_is_refused(
    api: Client, change: dict[str, Any], named: str
) -> None:
    answer = api.patch("/v1/site", change)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert named in answer.message
    assert api.get("/v1/site").body["enabled"] is False


def test_a_change_is_in_the_log_and_one_that_changes_nothing_is_not_written(api: Client) -> None:
    api.patch("/v1/site", {"enabled": True})
    with recorded_calls() as calls:
        api.patch("/v1/site", {"enabled": True})

    assert "dynamodb:TransactWriteItems" not in calls
    [entry] = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert entry["summary"] == "The help site's settings were changed: enabled."
