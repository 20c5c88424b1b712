"""What a browser shows for a file that is gone."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.files.record import File
from helpdesk.storage import table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture
def gone(api: Client, organization: NewOrganization) -> str:
    """The path of a file whose item was removed."""
    file = api.post("/v1/uploads?name=a.txt", "text", **{"content-type": "text/plain"}).body
    table.delete(File.key_for(organization.organization_id, file["id"]))
    return "/v1/files/" + str(file["url"]).rpartition("/")[2]


def opened(client: Client, path: str, languages: str = "") -> Answer:
    return client.get(path, accept=BROWSER, **{"accept-language": languages})


def test_a_browser_gets_a_page_in_its_language(anonymous: Client, gone: str) -> None:
    answer = opened(anonymous, gone, "de-AT,de;q=0.9,en;q=0.8")
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<html lang="de">' in answer.body
    assert "<p>Diese Datei ist nicht mehr verfügbar.</p>" in answer.body
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["vary"] == "accept, accept-language"
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")


def test_the_page_has_the_organizations_sentence_and_language(
    api: Client, anonymous: Client, gone: str
) -> None:
    api.patch("/v1/agent", {"language": "fr", "texts": {"fileGone": {"fr": "Disparu <b>à jamais</b>."}}})
    for languages in ("", "pl"):
        assert "<p>Disparu &lt;b&gt;à jamais&lt;/b&gt;.</p>" in opened(anonymous, gone, languages).body
    assert "This file is no longer available." in opened(anonymous, gone, "en").body


@pytest.mark.parametrize("path", ["/v1/files/nothing", "/v1/files/..%2f", "/v1/files/" + "0" * 26])
def test_an_address_that_names_no_organization_gets_the_default_page(anonymous: Client, path: str) -> None:
    assert "Ce fichier n’est plus disponible." in opened(anonymous, path, "fr").body


@pytest.mark.parametrize("accepted", ["", "*/*", "application/json", "image/*"])
def test_a_program_gets_the_error_object(anonymous: Client, gone: str, accepted: str) -> None:
    answer = anonymous.get(gone, accept=accepted)
    assert (answer.status, answer.code) == (404, "file_not_found")


def test_a_file_that_is_there_is_sent_to_a_browser_as_before(api: Client, anonymous: Client) -> None:
    file = api.post("/v1/uploads?name=a.txt", "text", **{"content-type": "text/plain"}).body
    assert opened(anonymous, "/v1/files/" + file["url"].rpartition("/")[2]).status == 302


def test_the_page_costs_one_call_more_than_the_error_object(anonymous: Client, gone: str) -> None:
    with recorded_calls() as calls:
        opened(anonymous, gone)
    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:GetItem"]
