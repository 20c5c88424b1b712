"""What visitors of the help site searched for in vain, beside the suggestion that would answer it."""

from helpdesk.site import gaps
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.suggestions import listed, suggested
from tests.support.workers import Workers


def searches(organization: str, **made: int) -> None:
    """Let visitors search, each words so often; underscores stand for spaces."""
    for words, times in made.items():
        for _ in range(times):
            gaps.note(organization, words.replace("_", " "))


def test_a_suggestion_says_how_often_visitors_searched_for_it_in_vain(
    api: Client, stranger: Client, workers: Workers
) -> None:
    suggestion = suggested(api, workers)
    assert suggestion["searches"] == 0
    own = api.get("/v1/organization").body["id"]
    searches(own, export_contacts=3, exporting_contact=4, export_invoices=5, contacts=6, contacts_export=2)
    searches(stranger.get("/v1/organization").body["id"], export_contacts=9)

    with recorded_calls() as calls:
        [found] = listed(api)

    assert found["searches"] == 7
    assert calls.count("dynamodb:Query") == 2
    assert api.get(f"/v1/knowledge/suggestions/{found['id']}").body["suggestion"]["searches"] == 7
