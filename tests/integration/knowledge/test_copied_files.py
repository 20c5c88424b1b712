"""Documents that a client copies from files: the path, the version that was copied, and conditional deletion."""

import hashlib

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import service
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.storage.actor_name import ActorName
from tests.support.api import Client
from tests.support.knowledge import add, read

PATH = "guides/refunds.md"


def at(document_id: str) -> str:
    return f"/v1/knowledge/documents/{document_id}"


def test_a_list_has_the_path_the_copied_version_and_the_digest_of_the_text(member: Client) -> None:
    add(member, "Refunds", "Fourteen days.", path=PATH)
    (listed,) = member.get("/v1/knowledge/documents").body["documents"]
    assert listed["source"] == {
        "kind": "written",
        "url": None,
        "repo": None,
        "path": PATH,
        "version": 1,
        "syncedAt": None,
    }
    assert listed["digest"] == hashlib.sha256(b"Fourteen days.").hexdigest()


def test_a_change_with_a_path_is_copied_and_one_without_is_not(member: Client) -> None:
    document_id = add(member, "Refunds", "Fourteen days.", path=PATH)
    copied = member.patch(at(document_id), {"body": "Thirty days.", "path": PATH, "version": 1}).body
    assert (copied["document"]["version"], copied["document"]["source"]["version"]) == (2, 2)
    assert copied["document"]["digest"] == hashlib.sha256(b"Thirty days.").hexdigest()

    edited = member.patch(at(document_id), {"title": "Returns"}).body["document"]
    assert (edited["version"], edited["source"]["version"], edited["source"]["path"]) == (3, 2, PATH)


def test_a_document_can_be_given_another_path_and_lose_it(member: Client) -> None:
    document_id = add(member, "Refunds", "Fourteen days.")
    assert read(member, document_id)["source"]["path"] is None
    member.patch(at(document_id), {"title": "Returns"})
    named = member.patch(at(document_id), {"path": "returns.md"}).body["document"]
    assert (named["version"], named["source"]["path"], named["source"]["version"]) == (2, "returns.md", 2)
    assert named["updatedByName"] == "Max Member"
    ended = member.patch(at(document_id), {"path": None}).body["document"]
    assert (ended["version"], ended["source"]["path"], ended["source"]["version"]) == (2, None, None)


@pytest.mark.parametrize("path", ["a\nb.md", "a\x00.md", "\u202ea.md"])
def test_a_path_that_names_no_file_is_refused(member: Client, path: str) -> None:
    document_id = add(member, "Refunds", "Fourteen days.", path=PATH)
    sent = {"title": "Refunds", "body": "Fourteen days.", "path": path}
    for refused in (
        member.post("/v1/knowledge/documents", sent),
        member.patch(at(document_id), {"path": path}),
    ):
        assert (refused.status, refused.code) == (400, "invalid_request")
        assert refused.message == (
            "`path` must be 1 to 1,000 characters, without control or hidden characters."
        )
    assert read(member, document_id)["source"]["path"] == PATH


def test_a_synced_document_takes_no_path(member: Client, organization: NewOrganization) -> None:
    draft = service.Draft("Prices", "Ten euros.", source=Source(SourceKind.CRAWL, url="https://example.com/"))
    document_id = service.write(organization.organization_id, draft, ActorName("crawl")).id
    refused = member.patch(at(document_id), {"path": PATH})
    assert (refused.status, refused.code) == (400, "doc_is_synced")


def test_a_deletion_with_a_version_spares_a_document_that_has_changed(member: Client) -> None:
    document_id = add(member, "Refunds", "Fourteen days.")
    member.patch(at(document_id), {"title": "Returns"})
    refused = member.delete(f"{at(document_id)}?version=1")
    assert (refused.status, refused.code) == (409, "doc_changed")
    assert read(member, document_id)["title"] == "Returns"
    assert member.delete(f"{at(document_id)}?version=2").status == 200
    assert member.delete(f"{at(document_id)}?version=2").code == "knowledge_doc_not_found"


def test_a_deletion_with_a_version_that_is_no_number_is_refused(member: Client) -> None:
    document_id = add(member, "Refunds", "Fourteen days.")
    assert member.delete(f"{at(document_id)}?version=latest").code == "invalid_request"
    assert read(member, document_id)["title"] == "Refunds"
