"""The migration runner, and each migration on items as the version before it wrote them."""

import pytest

from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.schema_version import SchemaVersion
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from scripts import admin
from scripts.migrations import runner, versions
from scripts.migrations.runner import Migration, MigrationRunning, SchemaTooNew
from scripts.migrations.versions import MIGRATIONS
from tests.support import table as everything
from tests.support.api import Client
from tests.support.people import token_of


def queued_for_search() -> str:
    answer = clients.sqs().receive_message(QueueUrl=settings().search_queue_url, MaxNumberOfMessages=10)
    return " ".join(message["Body"] for message in answer["Messages"])


def silent(_: str, /) -> None:
    pass


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table of a few items take several pages."""
    monkeypatch.setattr(runner, "PAGE_ITEMS", 2)


def put(item: Item) -> None:
    transaction = Transaction()
    transaction.put(item)
    transaction.commit()


def fill(count: int) -> None:
    for number in range(count):
        table.put_new({"PK": f"OLD#{number}", "SK": "OLD", "color": "red"})


def colors() -> list[str]:
    return sorted(item["color"] for item in everything.everything() if item["SK"] == "OLD")


def paint(item: Item) -> bool:
    if item["SK"] != "OLD" or item["color"] == "blue":
        return False
    put({**item, "color": "blue"})
    return True


PAINT = Migration(1, "Paint it blue", paint)


def test_a_migration_changes_every_item_and_raises_the_schema_version() -> None:
    fill(7)

    assert runner.migrate([PAINT], silent) == 7
    assert colors() == ["blue"] * 7
    assert runner.current().version == 1


def test_a_second_run_does_nothing() -> None:
    fill(3)
    runner.migrate([PAINT], silent)

    assert runner.pending([PAINT]) == []
    assert runner.migrate([PAINT], silent) == 0


def test_migrations_run_in_order_and_only_those_that_are_pending() -> None:
    ran: list[int] = []

    def note(number: int) -> Migration:
        def change(_: Item) -> bool:
            if number not in ran:
                ran.append(number)
            return False

        return Migration(number, f"number {number}", change)

    fill(1)
    runner.migrate([note(1)], silent)
    runner.migrate([note(1), note(2), note(3)], silent)

    assert ran == [1, 2, 3]
    assert runner.current().version == 3


def test_an_interrupted_run_continues_with_the_page_it_had_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    fill(9)
    seen: list[str] = []

    def dies_at_the_sixth(item: Item) -> bool:
        if len(seen) == 5:
            raise KeyboardInterrupt
        seen.append(item["PK"])
        return paint(item)

    with pytest.raises(KeyboardInterrupt):
        runner.migrate([Migration(1, "Paint it blue", dies_at_the_sixth)], silent)
    again: list[str] = []

    def notes(item: Item) -> bool:
        again.append(item["PK"])
        return paint(item)

    later = clock.now_ms() + runner.LEASE_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    runner.migrate([Migration(1, "Paint it blue", notes)], silent)

    assert colors() == ["blue"] * 9
    assert set(again).isdisjoint(seen[:4])  # the pages that were saved
    assert runner.current().version == 1


def test_two_runs_at_once_are_refused() -> None:
    fill(3)

    def starts_another(_: Item) -> bool:
        with pytest.raises(MigrationRunning):
            runner.migrate([PAINT], silent)
        return False

    runner.migrate([Migration(1, "First", starts_another)], silent)

    assert runner.current().version == 1


def test_a_run_that_lost_its_lease_stops_before_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    fill(5)

    def is_overtaken(_: Item) -> bool:
        table.update(
            SchemaVersion.key_for(),
            "SET #owner = :other",
            names={"#owner": "owner"},
            values={":other": "run_other"},
        )
        return False

    with pytest.raises(MigrationRunning):
        runner.migrate([Migration(1, "First", is_overtaken)], silent)
    assert runner.current().version == 0


def test_an_item_that_changed_since_it_was_read_is_offered_again() -> None:
    fill(1)
    offered: list[str] = []

    def loses_once(item: Item) -> bool:
        if item["SK"] != "OLD":
            return False
        offered.append(item["color"])
        if len(offered) == 1:
            raise ConditionFailed({**item, "color": "green"})
        return True

    assert runner.migrate([Migration(1, "First", loses_once)], silent) == 1
    assert offered == ["red", "green"]


def test_code_older_than_the_table_is_refused() -> None:
    runner.migrate([PAINT, Migration(2, "Nothing", lambda _: False)], silent)

    with pytest.raises(SchemaTooNew):
        runner.migrate([PAINT], silent)


def test_the_versions_count_up_from_one() -> None:
    assert [migration.version for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_the_command_prints_what_is_pending_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    put({"PK": "NIGHT#2026-11-20", "SK": "NIGHT", "shards": 0, "organization": "org_1", "place": "1#conv_1"})

    assert admin.main(["migrate", "--check"]) == 0
    assert '"schema": 0' in capsys.readouterr().out
    assert [item["PK"] for item in everything.everything()] == ["NIGHT#2026-11-20"]


def test_checkpoints_of_the_nightly_run_move_to_their_new_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    put({"PK": "NIGHT#2026-11-20", "SK": "NIGHT", "organization": "org_1", "place": "1#conv_1"})
    put({"PK": "NIGHT#2026-11-21", "SK": "NIGHT", "organization": "org_1", "place": "1#conv_1"})
    put({"PK": "AUTORESOLVE#2026-11-21", "SK": "CHECKPOINT", "organization": "org_2", "indexKey": ""})

    assert admin.main(["migrate"]) == 0
    assert everything.of_kind("NIGHT") == []
    assert everything.of_kind("CHECKPOINT") == [
        {"PK": "AUTORESOLVE#2026-11-20", "SK": "CHECKPOINT", "organization": "org_1", "indexKey": "1#conv_1"},
        {"PK": "AUTORESOLVE#2026-11-21", "SK": "CHECKPOINT", "organization": "org_2", "indexKey": ""},
    ]


def test_documents_and_conversations_are_indexed_again(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    document = api.post("/v1/knowledge/documents", {"title": "Invoices", "body": "# Invoices"}).body["id"]
    conversation = api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"}).body[
        "conversationId"
    ]

    assert admin.main(["migrate"]) == 0
    jobs = [job for item in everything.of_kind("JOB") for job in item["jobs"]]
    assert [(job["body"]["organization"], job["body"]["documentId"]) for job in jobs] == [
        (organization.organization_id, document)
    ] * 3  # when it was created, and for each layout of the index since
    assert conversation in queued_for_search()


def old_document(organization: NewOrganization, number: int) -> Item:
    """Return a document as the version before quotas wrote it."""
    return {
        "PK": f"ORG#{organization.organization_id}#KNOWLEDGE",
        "SK": f"DOC#doc_{number}",
        "id": f"doc_{number}",
        "title": "Money  Back",
        "folderId": None,
        "status": "ready",
        "problem": None,
        "size": 10 * number,
        "revision": "01jd3k5v9w0000000000000006",
        "textKey": f"{organization.organization_id}/documents/doc_{number}/1.md",
        "url": None,
        "createdAt": 1_700_000_000_000,
        "updatedAt": 1_700_000_000_000,
        "indexedAt": 1_700_000_001_000,
    }


def test_documents_get_a_version_and_a_source_and_are_counted_once(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    for number in (1, 2):
        put(old_document(organization, number))
    api.post("/v1/knowledge/documents", {"title": "New", "body": "12345"})

    assert admin.main(["migrate"]) == 0
    for item in everything.of_kind("DOC#"):
        assert versions._describe_document(item) is False  # as after a crash

    listed = api.get("/v1/knowledge/documents?folderId=none&source=written&q=money+back").body["documents"]
    assert [(document["id"], document["version"]) for document in listed] == [("doc_2", 1), ("doc_1", 1)]
    usage = api.get("/v1/billing/limits").body["knowledge"]
    assert (usage["documents"]["used"], usage["bytes"]["used"]) == (3, 35)


def test_a_document_that_was_changed_or_deleted_before_its_migration_is_counted_as_it_is(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    for number in (1, 2):
        put(old_document(organization, number))
    assert api.get("/v1/knowledge/documents/doc_1").code == "internal_error"  # it has no text in this test
    changed = api.patch("/v1/knowledge/documents/doc_1", {"title": "Refunds", "version": 1})
    assert changed.body["document"]["version"] == 2
    assert api.delete("/v1/knowledge/documents/doc_2").status == 200

    assert admin.main(["migrate"]) == 0
    usage = api.get("/v1/billing/limits").body["knowledge"]
    assert (usage["documents"]["used"], usage["bytes"]["used"]) == (1, 10)


def test_documents_get_addresses_of_their_own_and_stay_internal(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    for number in (1, 2):
        put({**old_document(organization, number), "title": "Money back"})

    assert admin.main(["migrate"]) == 0
    for item in everything.of_kind("DOC#"):
        assert versions._give_document_an_address(item) is False  # as after a crash

    listed = api.get("/v1/knowledge/documents").body["documents"]
    assert sorted((each["slug"], each["published"]) for each in listed) == [
        ("money-back", False),
        ("money-back-2", False),
    ]
    pages = {item["SK"].removeprefix("PAGE#"): item["documentId"] for item in everything.of_kind("PAGE#")}
    assert pages == {each["slug"]: each["id"] for each in listed}


def test_grants_from_before_the_lists_are_listed(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    grant = {
        **Grant.key_for("grant_1").attributes(),
        **dict.fromkeys(("familyHash", "refreshHash", "previousHash"), "0" * 64),
        **dict.fromkeys(("createdAt", "rotatedAt", "boundAt"), 1_763_683_200_000),
        "id": "grant_1",
        "userId": organization.owner_id,
        "clientId": "client_1",
        "organization": organization.organization_id,
        "validUntil": clock.now_ms() + 60_000,
        "tokens": [],
    }
    put(grant)
    table.update(
        PersonRecord.key_for(organization.owner_id),
        "REMOVE organizations.#o.joinedAt",
        names={"#o": organization.organization_id},
    )
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    assert owner.get("/v1/me/grants").body["grants"] == []

    assert admin.main(["migrate"]) == 0
    assert versions._list_grant(everything.of_kind("GRANT")[0]) is False  # as after a crash

    assert [each["id"] for each in owner.get("/v1/me/grants").body["grants"]] == ["grant_1"]
