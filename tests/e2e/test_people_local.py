"""The demo organization's people on the deployed stack, and the mail that it sends them."""

import json
import time
import urllib.request
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.web import Web, eventually


def mails_to(stack: Mapping[str, str], address: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(stack["mail_json_url"]) as answer:
        by_account: dict[str, list[dict[str, Any]]] = json.load(answer)["messages"]
    return [mail for mails in by_account.values() for mail in mails if mail["To"] == [address]]


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
def test_each_persons_token_acts_in_the_demo_organization_with_the_role(
    stack: Mapping[str, str], role: str
) -> None:
    me = Web(stack["base_url"], stack[f"{role}_token"]).get("/v1/me").body

    assert me["user"]["email"] == f"{role}@example.com"
    assert (me["organization"]["id"], me["organization"]["role"]) == (stack["organization_id"], role)


def test_an_invitation_sends_a_mail_that_can_be_read_back(stack: Mapping[str, str]) -> None:
    address = f"grace-{time.time_ns()}@example.com"
    invited = Web(stack["base_url"], stack["admin_token"]).post(
        "/v1/invites", {"email": address, "role": "member"}
    )
    assert invited.status == 200, invited

    (mail,) = eventually(lambda: mails_to(stack, address))

    assert mail["Source"] == "helpdesk@example.com"
    assert f"{stack['base_url']}{invited.body['path']}" in mail["BodyText"]


def test_a_person_creates_an_organization_and_switches_back(stack: Mapping[str, str]) -> None:
    person = Web(stack["base_url"], stack["member_token"])
    made = person.post("/v1/organizations", {"name": "Mine", "slug": f"mine-{time.time_ns()}"})
    assert made.status == 200, made
    assert person.get("/v1/organization").body["id"] == made.body["id"]

    assert person.post("/v1/me/organization", {"organizationId": stack["organization_id"]}).status == 200

    assert person.get("/v1/organization").body["id"] == stack["organization_id"]


def test_members_and_settings_are_changed_under_the_functions_own_policies(stack: Mapping[str, str]) -> None:
    owner = Web(stack["base_url"], stack["owner_token"])
    member = Web(stack["base_url"], stack["member_token"])
    user_id = member.get("/v1/me").body["user"]["id"]

    assert owner.patch(f"/v1/members/{user_id}", {"role": "admin"}).status == 200
    assert member.post("/v1/billing/branding", {"showBranding": False}).status == 200
    pending = member.patch("/v1/organization", {"supportEmail": "help@example.com"})
    assert pending.body["pendingSupportEmail"] == "help@example.com"
    assert member.patch("/v1/organization", {"supportEmailCode": "wrong"}).code == "invalid_code"
    assert owner.patch(f"/v1/members/{user_id}", {"role": "member"}).status == 200

    assert member.post("/v1/billing/branding", {"showBranding": True}).code == "forbidden"
    assert owner.patch("/v1/organization", {"supportEmail": None}).body["showBranding"] is False
