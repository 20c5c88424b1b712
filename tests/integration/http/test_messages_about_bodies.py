"""What a refusal says about a body that cannot be read, and the headers of every response to a known caller."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.people import issue_token

LONG = "9" * 5_000
DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f'{{"name": {LONG}}}', "number out of range at line 1 column "),
        (f'{{"other": -{LONG}.5}}', "number out of range at line 1 column "),
        (LONG, "number out of range at line 1 column "),
        (f'{{"name": {DEEP}}}', "recursion limit exceeded at line 1 column "),
        (DEEP, "recursion limit exceeded at line 1 column "),
        ('{"a":' * 500 + "1" + "}" * 500, "recursion limit exceeded at line 1 column "),
        ('{"name": "cut', "EOF while parsing a string at line 1 column "),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_the_reason_and_the_position(
    admin: Client, body: str, reason: str
) -> None:
    answer = admin.post("/v1/keys", body)

    assert (answer.status, answer.code) == (400, "invalid_json")
    assert answer.message.startswith("The body must be a JSON object in UTF-8. It cannot be read: ")
    assert reason in answer.message
    assert len(answer.message) < 200


def test_an_unknown_key_is_refused_without_the_name_of_a_file(organization: NewOrganization) -> None:
    answer = Client(organization.secret_key[:-1] + "!").get("/v1/billing/limits")

    assert answer.code == "invalid_api_key"
    assert ".json" not in answer.message
    assert ".local" not in answer.message


def test_a_person_without_an_organization_is_charged_for_a_refusal() -> None:
    homeless = Client(issue_token(None, role="member", name="Hanna Homeless"))

    assert homeless.get("/v1/webhooks").headers["ratelimit-policy"] == '"read";q=600;w=60'
