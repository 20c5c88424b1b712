"""Folders over HTTP: their tree, their documents, and changes at once."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import folder_repository, folder_service, repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.folders import Folder, FolderJob
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.platform import clients, clock
from helpdesk.storage import table
from tests.support import effort
from tests.support import table as everything
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.knowledge import add, item_of, jobs, read, work

AT = "/v1/knowledge/folders"


def make(api: Client, name: str, parent: str | None = None) -> str:
    return str(api.post(AT, {"name": name, "parentId": parent}).body["id"])


def tree(api: Client) -> list[tuple[str, str | None, int, int]]:
    folders = api.get(AT).body["folders"]
    names = {folder["id"]: folder["name"] for folder in folders}
    return [
        (each["name"], names.get(each["parentId"]), each["position"], each["documents"]) for each in folders
    ]


def documents_in(api: Client, folder: str) -> list[str]:
    found = api.get(f"/v1/knowledge/documents?folderId={folder}&limit=200").body["documents"]
    return [document["id"] for document in found]


def require_counts(api: Client) -> None:
    """Every folder counts its documents, and every document is in a folder that exists."""
    listed = api.get("/v1/knowledge/documents?limit=200").body["documents"]
    inside = [document["folderId"] for document in listed]
    counted = {folder["id"]: folder["documents"] for folder in api.get(AT).body["folders"]}
    assert {folder: inside.count(folder) for folder in counted} == counted
    assert set(inside) <= {None, *counted}


def test_an_organization_begins_without_folders(api: Client) -> None:
    assert api.get(AT).body == {"folders": []}


def test_folders_are_listed_in_order_with_their_documents(member: Client) -> None:
    billing, product = make(member, " Billing\n"), make(member, "Product")
    refunds = make(member, "Refunds", billing)
    add(member, "Doc", "text", folderId=refunds)
    assert member.get(AT).body == {
        "folders": [
            {
                "id": billing,
                "name": "Billing",
                "parentId": None,
                "position": 0,
                "documents": 0,
                "published": False,
            },
            {
                "id": refunds,
                "name": "Refunds",
                "parentId": billing,
                "position": 0,
                "documents": 1,
                "published": False,
            },
            {
                "id": product,
                "name": "Product",
                "parentId": None,
                "position": 1,
                "documents": 0,
                "published": False,
            },
        ]
    }


def test_a_folder_is_renamed_moved_and_ordered(api: Client) -> None:
    billing, product = make(api, "Billing"), make(api, "Product")
    refunds = make(api, "Refunds", billing)
    assert api.patch(f"{AT}/{refunds}", {"name": "Money back"}).body == {"ok": True}
    assert api.patch(f"{AT}/{refunds}", {"parentId": product, "name": "Cash back"}).body == {"ok": True}
    assert tree(api) == [("Billing", None, 0, 0), ("Product", None, 1, 0), ("Cash back", "Product", 0, 0)]
    assert api.patch(f"{AT}/{refunds}", {"parentId": None}).body == {"ok": True}
    assert api.post(f"{AT}/order", {"ids": [refunds, product, billing]}).body == {"ok": True}
    assert tree(api) == [("Cash back", None, 0, 0), ("Product", None, 1, 0), ("Billing", None, 2, 0)]
    assert api.patch(f"{AT}/{refunds}", {}).body == {"ok": True}


def test_refused_changes_of_a_folder_change_nothing(api: Client) -> None:
    """Each rule of the tree: tests/unit/knowledge/test_folders.py."""
    a = make(api, "A")
    b, d = make(api, "B", a), make(api, "D")
    before = tree(api)
    for method, path, sent, code in (
        ("PATCH", f"{AT}/{a}", {"parentId": b}, "folder_cycle"),
        ("PATCH", f"{AT}/{a}", {"name": "Other", "parentId": "a#b"}, "knowledge_folder_not_found"),
        ("POST", AT, {"name": "x", "parentId": "root"}, "knowledge_folder_not_found"),
        ("POST", AT, {"name": "x", "parentId": ""}, "knowledge_folder_not_found"),
        ("POST", f"{AT}/order", {"ids": [a, d, b]}, "order_invalid"),
        ("POST", f"{AT}/order", {"parentId": "fold_1", "ids": []}, "knowledge_folder_not_found"),
    ):
        assert api.request(method, path, sent).code == code, sent
    assert tree(api) == before


def test_folders_of_another_organization_are_not_found(api: Client, stranger: Client) -> None:
    ours, theirs = make(api, "Ours"), make(stranger, "Theirs")
    document = add(stranger, "Doc", "text")
    for answer in (
        stranger.patch(f"{AT}/{ours}", {"name": "Mine"}),
        stranger.patch(f"{AT}/{ours}", {"published": True}),
        stranger.patch(f"{AT}/{theirs}", {"parentId": ours}),
        stranger.delete(f"{AT}/{ours}"),
        stranger.post(AT, {"name": "x", "parentId": ours}),
        stranger.post(f"{AT}/order", {"parentId": ours, "ids": []}),
        stranger.patch(f"/v1/knowledge/documents/{document}", {"folderId": ours}),
        stranger.post("/v1/knowledge/documents", {"title": "x", "body": "x", "folderId": ours}),
    ):
        assert (answer.status, answer.code) == (404, "knowledge_folder_not_found")
    assert stranger.get(f"/v1/knowledge/documents?folderId={ours}").body["documents"] == []
    assert tree(api) == [("Ours", None, 0, 0)]


def test_documents_are_counted_where_they_are(api: Client) -> None:
    a, b = make(api, "A"), make(api, "B")
    first, second = add(api, "First", "x", folderId=a), add(api, "Second", "x", folderId=a)
    assert documents_in(api, a) == [second, first]
    api.patch(f"/v1/knowledge/documents/{first}", {"folderId": b})
    assert tree(api) == [("A", None, 0, 1), ("B", None, 1, 1)]
    api.patch(f"/v1/knowledge/documents/{first}", {"folderId": None})
    api.delete(f"/v1/knowledge/documents/{second}")
    assert tree(api) == [("A", None, 0, 0), ("B", None, 1, 0)]
    assert documents_in(api, "none") == [first]


def test_documents_and_subfolders_of_a_deleted_folder_move_to_its_parent(api: Client) -> None:
    a = make(api, "A")
    b, z = make(api, "B", a), make(api, "Z", a)
    c = make(api, "C", b)
    document, deep = add(api, "Doc", "x", folderId=b), add(api, "Deep", "x", folderId=c)
    assert api.delete(f"{AT}/{b}").body == {"ok": True}
    assert tree(api) == [("A", None, 0, 1), ("C", "A", 0, 1), ("Z", "A", 1, 0)]
    assert read(api, document)["folderId"] == a
    api.delete(f"{AT}/{a}")
    assert tree(api) == [("C", None, 0, 1), ("Z", None, 1, 0)]
    assert (read(api, document)["folderId"], read(api, deep)["folderId"]) == (None, c)
    assert api.delete(f"{AT}/{b}").code == "knowledge_folder_not_found"
    assert api.post("/v1/knowledge/documents", {"title": "x", "body": "x", "folderId": b}).status == 404
    assert api.patch(f"{AT}/{z}", {"parentId": c}).status == 200


def test_a_deleted_folder_leaves_no_item(api: Client) -> None:
    a = make(api, "A")
    add(api, "Doc", "x", folderId=a)
    api.delete(f"{AT}/{a}")
    assert everything.of_kind("FOLDER#") == []
    assert work() == {"batchItemFailures": []}


class Died(Exception):
    """The end of a worker."""


@pytest.mark.parametrize("dies_after", range(9))
def test_a_deletion_that_is_cut_off_anywhere_is_finished_by_its_job(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch, dies_after: int
) -> None:
    monkeypatch.setattr(folder_service, "_BATCH", 2)
    a = make(api, "A")
    b = make(api, "B", a)
    made = [add(api, f"Doc {number}", "x", folderId=b) for number in range(5)]
    calls: list[str] = []

    def die(model: Any, **_: Any) -> None:
        calls.append(model.name)
        if len(calls) > dies_after + 3:  # admission, tree and the deletion itself
            raise Died

    events = clients.dynamodb().meta.events
    events.register("before-call", die)
    try:
        api.delete(f"{AT}/{b}")
    finally:
        events.unregister("before-call", die)
    assert [name for name, *_ in tree(api)] == ["A"]
    calls.clear()
    events.register("before-call", die)
    try:
        work(*[job for job in jobs() if "folderId" in job])
    finally:
        events.unregister("before-call", die)
    for _ in range(2):
        assert work(*[job for job in jobs() if "folderId" in job]) == {"batchItemFailures": []}
    assert sorted(documents_in(api, a)) == sorted(made)
    assert tree(api) == [("A", None, 0, 5)]
    assert folder_repository.tree(organization.organization_id).closing == {}


def test_a_job_leaves_what_does_not_fit_its_time_to_another(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_service, "_BATCH", 2)
    monkeypatch.setattr(folder_service, "_DELETION_MS", -1)
    a = make(api, "A")
    for number in range(5):
        add(api, f"Doc {number}", "x", folderId=a)
    api.delete(f"{AT}/{a}")
    [job] = [job for job in jobs() if "folderId" in job]
    folder_service.finish_deletion(FolderJob.from_body(job), clock.now_ms() - 1)
    assert len(documents_in(api, "none")) == 2
    assert len([job for job in jobs() if "folderId" in job]) == 2
    work()
    assert len(documents_in(api, "none")) == 5


def test_a_deleted_folder_stays_until_the_index_lists_its_last_document(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = make(api, "A")
    document = add(api, "Doc", "x", folderId=a)
    with monkeypatch.context() as lagging:
        lagging.setattr(repository, "in_folder", lambda *_: [])
        api.delete(f"{AT}/{a}")
        assert work(jobs()[-1])["batchItemFailures"] != []
    assert item_of(Folder.key_for(organization.organization_id, a))["documents"] == 1
    work(jobs()[-1])
    assert read(api, document)["folderId"] is None
    assert everything.of_kind("FOLDER#") == []


def test_a_folder_of_many_documents_is_deleted(api: Client, organization: NewOrganization) -> None:
    many = effort.of(300, 3_000)
    a = make(api, "A")
    first = add(api, "Doc", "x", folderId=a)
    item = table.get(Document.key_for(organization.organization_id, first))
    assert item is not None
    for number in range(many - 1):
        other = f"doc_{number:026d}"
        key = Document.key_for(organization.organization_id, other)
        page = DocumentPage.key_for(organization.organization_id, f"doc-{number}")
        table.put_new({**item, **key.attributes(), "id": other, "GSI1SK": other, "slug": f"doc-{number}"})
        table.put_new({**page.attributes(), "documentId": other, "folderId": a})
    table.change(Folder.key_for(organization.organization_id, a), set={"documents": many})
    api.delete(f"{AT}/{a}")
    work(jobs()[-1])
    moved = [item.get("folderId") for item in everything.of_kind("DOC#")]
    assert moved == [None] * many
    assert [item.get("folderId") for item in everything.of_kind("PAGE#")] == [None] * many
    assert everything.of_kind("FOLDER#") == []


def _random_piece(
    api: Client, rng: random.Random, folders: list[str], documents: list[str]
) -> Callable[[], Any]:
    folder, parent = rng.choice(folders), rng.choice([*folders, None])
    document = rng.choice(documents)
    match rng.randrange(7):
        case 0 | 1 | 2:
            return lambda: api.patch(f"{AT}/{folder}", {"parentId": parent})
        case 3:
            return lambda: api.delete(f"{AT}/{folder}")
        case 4:
            return lambda: api.post(AT, {"name": "New", "parentId": folder})
        case 5:
            return lambda: api.patch(f"/v1/knowledge/documents/{document}", {"folderId": parent})
        case _:
            return lambda: api.delete(f"/v1/knowledge/documents/{document}")


@pytest.mark.parametrize("seed", range(effort.of(12, 300)))
def test_changes_at_once_leave_a_tree_of_three_levels_and_lose_no_document(
    api: Client, organization: NewOrganization, seed: int
) -> None:
    rng = random.Random(seed)
    a, b = make(api, "A"), make(api, "B")
    c, d = make(api, "C", a), make(api, "D", b)
    folders = [a, b, c, d, make(api, "E", c)]
    documents = [add(api, f"Doc {number}", "x", folderId=rng.choice(folders)) for number in range(3)]
    pieces = [_random_piece(api, rng, folders, documents) for _ in range(4)]
    for answer in interleaved(pieces, seed).all():
        assert answer.status in {200, 400, 404}
    work(*[job for job in jobs() if "folderId" in job] or jobs())
    found = folder_repository.tree(organization.organization_id)
    parents = {folder: parent for folder, parent, _ in found.walk()}
    assert set(parents) == {folder for inside in found.children.values() for folder in inside}
    for folder in parents:
        path = [folder]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        assert len(path) - 1 <= 3
    assert found.closing == {}
    require_counts(api)


@pytest.mark.parametrize("seed", range(effort.of(8, 200)))
def test_two_moves_at_once_make_no_cycle(api: Client, seed: int) -> None:
    a, b = make(api, "A"), make(api, "B")
    pieces = [
        lambda: api.patch(f"{AT}/{a}", {"parentId": b}),
        lambda: api.patch(f"{AT}/{b}", {"parentId": a}),
    ]
    outcomes = interleaved(pieces, seed).all()
    assert sorted(answer.status for answer in outcomes) == [200, 400]
    assert {answer.code for answer in outcomes if answer.status == 400} == {"folder_cycle"}
    assert len(tree(api)) == 2


@pytest.mark.parametrize("seed", range(effort.of(8, 200)))
def test_two_moves_at_once_make_no_fourth_level(api: Client, seed: int) -> None:
    a, b, c = make(api, "A"), make(api, "B"), make(api, "C")
    make(api, "D", c)
    pieces = [
        lambda: api.patch(f"{AT}/{b}", {"parentId": a}),
        lambda: api.patch(f"{AT}/{c}", {"parentId": b}),
    ]
    outcomes = interleaved(pieces, seed).all()
    assert sorted(answer.status for answer in outcomes) == [200, 400]
    assert {answer.code for answer in outcomes if answer.status == 400} == {"folder_too_deep"}


def test_a_folder_created_twice_with_a_key_is_there_once(api: Client) -> None:
    key = {"Idempotency-Key": "once"}
    assert api.post(AT, {"name": "A"}, **key).body == api.post(AT, {"name": "A"}, **key).body
    assert tree(api) == [("A", None, 0, 0)]
