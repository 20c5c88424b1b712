"""Words that find a document, though nobody reads them."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import retrieval, service
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.storage.actor_name import ActorName
from tests.support.api import Client
from tests.support.knowledge import add, read, work

AT = "/v1/knowledge/documents"
GIFTS = (
    "# Gifts\n\n## Vouchers\n\nA voucher is valid for three years.\n\n## Wrapping\n\nWe wrap in red paper.\n"
)


def change(api: Client, document_id: str, **fields: Any) -> dict[str, Any]:
    changed = api.patch(f"{AT}/{document_id}", fields)
    assert changed.status == 200, changed.body
    document: dict[str, Any] = changed.body["document"]
    return document


def test_an_alias_finds_the_document_and_the_section_that_is_most_like_it(
    api: Client, organization: NewOrganization
) -> None:
    document_id = add(api, "Gifts", GIFTS)
    add(api, "Colours", "We paint in red and blue.")
    work()
    assert "zertifikat" not in str(retrieval.find(organization.organization_id, "zertifikat"))

    change(api, document_id, aliases=["How long may I use my coupon?", "zertifikat"])
    work()

    [by_word, *_] = retrieval.find(organization.organization_id, "zertifikat") or []
    [by_meaning, *_] = retrieval.find(organization.organization_id, "How long may I use the coupon?") or []
    assert by_word.document_id == by_meaning.document_id == document_id
    assert by_meaning.excerpt == "A voucher is valid for three years."
    assert by_meaning.score >= retrieval.CONFIDENT


def test_aliases_are_stored_on_one_line_each_and_once(api: Client) -> None:
    document_id = add(api, "Gifts", GIFTS, aliases=[" gift\ncard ", "voucher", "Gift Card"])

    assert read(api, document_id)["aliases"] == ["gift card", "voucher"]


def test_a_change_of_aliases_is_a_new_version_that_is_indexed(api: Client) -> None:
    document_id = add(api, "Gifts", GIFTS)
    work()

    changed = change(api, document_id, aliases=["voucher"])
    same = change(api, document_id, aliases=["voucher"])
    cleared = change(api, document_id, aliases=[])

    assert (changed["status"], changed["version"], changed["aliases"]) == ("indexing", 2, ["voucher"])
    assert same["version"] == 2
    assert (cleared["version"], cleared["aliases"]) == (3, [])
    assert read(api, document_id)["body"] == GIFTS


def test_a_list_finds_documents_by_their_aliases(api: Client) -> None:
    document_id = add(api, "Gifts", GIFTS, aliases=["voucher"])
    add(api, "Colours", "Red")

    assert [one["id"] for one in api.get(f"{AT}?q=VOUCH").body["documents"]] == [document_id]


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        (["x" * 121], "`aliases[0]` must be 1 to 120 characters, and must not be blank."),
        (["\u200b"], "`aliases[0]` must be 1 to 120 characters, and must not be blank."),
        ([f"word {number}" for number in range(51)], "`aliases` must have at most 50 entries."),
    ],
)
def test_other_aliases_are_refused(api: Client, aliases: list[str], message: str) -> None:
    made = api.post(AT, {"title": "Gifts", "body": GIFTS, "aliases": aliases})
    changed = api.patch(f"{AT}/{add(api, 'Gifts', GIFTS)}", {"aliases": aliases})

    for refused in (made, changed):
        assert (refused.status, refused.body["error"]["code"]) == (400, "invalid_request")
        assert refused.body["error"]["message"] == message


def test_a_document_that_is_synced_takes_aliases(api: Client, organization: NewOrganization) -> None:
    source = Source(SourceKind.CRAWL, url="https://example.com/")
    document = service.write(
        organization.organization_id, service.Draft("Crawled", "Page", source=source), ActorName("crawl")
    )

    assert change(api, document.id, aliases=["voucher"])["aliases"] == ["voucher"]
