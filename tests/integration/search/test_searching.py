"""From a written message to a found conversation."""

import json

import pytest
import tantivy

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.message_record import Note
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clients, clock
from helpdesk.search import index, indexing, service
from helpdesk.search.jobs import SearchJob
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.queues import sqs_event
from tests.support.searched import NOTHING_FAILED, Inbox, customers_found, found, objects, put, run

MINUTE_US = 60_000_000


def test_a_conversation_is_found_by_messages_notes_files_subject_and_customer(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("John Smith", "js@example.com"), "Broken kettle")
    run(
        inbox.message(conversation, "It leaks at the handle", "kitchen-photo.png"),
        inbox.note(conversation, "Third complaint this week"),
    )
    for text in ("leaks", "photo", "complaint", "kettle", "smith", "js@example.com", "@example.com"):
        assert found(inbox.organization, text) == [conversation], text


def test_all_words_must_occur_anywhere_in_the_thread(inbox: Inbox) -> None:
    customer = inbox.customer("John Smith")
    both, one = inbox.conversation(customer), inbox.conversation(customer)
    run(inbox.message(both, "The kettle leaks"), inbox.message(both, "A refund please"))
    run(inbox.message(one, "The kettle is fine"))
    assert found(inbox.organization, "kettle refund") == [both]
    assert found(inbox.organization, "kettle smith refund") == [both]
    assert sorted(found(inbox.organization, "smith kettle")) == sorted([both, one])
    assert found(inbox.organization, "kettle toaster") == []


def test_the_last_word_is_a_prefix_and_the_others_are_whole(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer())
    run(inbox.message(conversation, "Crème brûlée torch"))
    assert found(inbox.organization, "creme bru") == [conversation]
    assert found(inbox.organization, "CRÈME BRÛ") == [conversation]
    assert found(inbox.organization, "bru torch") == []


def test_words_of_scripts_without_spaces_are_found_inside_a_run(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer())
    run(inbox.message(conversation, "我要退款订单"))
    for text in ("退款", "退款 订单", "单"):
        assert found(inbox.organization, text) == [conversation], text
    assert found(inbox.organization, "款退") == []


NONSENSE = (
    *(
        "",
        " ",
        "a",
        '"',
        "*",
        "?*.+[](){}^$|\\",
        "a AND OR NOT",
        "field:value",
        "[1 TO 2]",
        "\x00\ufffe",
        "@",
    ),
    *("a@b.+%'", "x" * 5000, "é" * 300, "\U0001f600 \ud800", "+-&&||!(){}"),
)


def test_nothing_that_a_user_types_is_refused(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"))
    run(inbox.message(conversation, "some words"))
    for text in NONSENSE:
        assert service.conversations(inbox.organization, text, 10).ids == [], text
        assert service.customers(inbox.organization, text, 10).ids == [], text


def test_conversations_come_once_each_by_latest_activity(inbox: Inbox) -> None:
    customer = inbox.customer("Ann")
    now = clock.now_us()
    jobs, made = [], []
    for number in range(8):
        with clock.frozen(lambda at=now + number * MINUTE_US: at):  # type: ignore[misc]
            made.append(inbox.conversation(customer))
            jobs += [inbox.message(made[-1], "parcel lost"), inbox.message(made[-1], "parcel still lost")]
    with clock.frozen(lambda: now + 20 * MINUTE_US):
        jobs.append(inbox.message(made[0], "anything else"))
    run(*jobs)
    expected = [made[0], *reversed(made[1:])]
    assert found(inbox.organization, "parcel") == expected  # in pages of three
    assert found(inbox.organization, "ann") == expected


def test_common_words_find_the_same_as_rare_ones(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    customer = inbox.customer("Ann")
    now = clock.now_us()
    jobs, with_both = [], []
    for number in range(12):
        with clock.frozen(lambda at=now + number * MINUTE_US: at):  # type: ignore[misc]
            conversation = inbox.conversation(customer)
            jobs += [
                inbox.message(conversation, "parcel"),
                inbox.message(conversation, "lost" if number % 2 else "found"),
            ]
            with_both += [conversation] if number % 2 else []
    run(*jobs)
    expected = with_both[::-1]
    assert found(inbox.organization, "parcel lost") == expected
    monkeypatch.setattr(service, "RARE", 1)
    monkeypatch.setattr(service, "_HEADS_AT_ONCE", 5)
    assert found(inbox.organization, "parcel lost") == expected
    monkeypatch.setattr(service, "_MOST_ROUNDS", 1)
    assert found(inbox.organization, "parcel lost") == expected


def test_a_customer_is_found_by_prefixes_of_the_name_and_by_the_address(inbox: Inbox) -> None:
    customer = inbox.customer("John Smith", "john.smith@example.com")
    other = inbox.customer("Mary Jones", "mary@example.net")
    run(*({"organization": inbox.organization, "customerId": each} for each in (customer, other)))
    of_name, of_address = ("smi", "jo smi", "SMITH john"), ("john.smith", "example.com", "@example.com")
    for text in (*of_name, *of_address, "john.smith@example.com"):
        assert customers_found(inbox.organization, text) == [customer], text
    for text in ("@example.org", "smith.john@example.com", "mith"):
        assert customers_found(inbox.organization, text) == [], text


def test_customers_come_newest_first_in_pages(inbox: Inbox) -> None:
    now = clock.now_us()
    made = []
    for number in range(5):
        with clock.frozen(lambda at=now + number * MINUTE_US: at):  # type: ignore[misc]
            made.append(inbox.customer("Ann"))
    run(*({"organization": inbox.organization, "customerId": each} for each in made))
    first = service.customers(inbox.organization, "ann", 3)
    second = service.customers(inbox.organization, "ann", 3, first.after)
    assert (first.ids, second.ids, second.after) == ([made[4], made[3], made[2]], [made[1], made[0]], None)


def test_another_organization_finds_nothing(inbox: Inbox, other_organization: NewOrganization) -> None:
    other = Inbox(other_organization.organization_id)
    conversation = inbox.conversation(inbox.customer("Ann"))
    theirs = other.conversation(other.customer("Bea"))
    # A job that names another organization's conversation finds no item.
    run(
        inbox.message(conversation, "secret recipe"),
        other.message(theirs, "weather"),
        {"organization": other.organization, "conversationId": conversation},
    )
    assert found(inbox.organization, "secret") == [conversation]
    assert found(other.organization, "secret") == []
    assert found(other.organization, "ann") == customers_found(other.organization, "ann") == []
    assert customers_found(inbox.organization, "ann") == [inbox.names[conversation]]


def test_a_renamed_customer_is_found_by_the_new_name_alone_in_every_conversation(inbox: Inbox) -> None:
    customer = inbox.customer("Ann", "ann@example.com")
    first, second = inbox.conversation(customer), inbox.conversation(customer)
    run(inbox.message(first, "one"), inbox.message(second, "two"))
    inbox.rename(customer, "Bea", "bea@example.com")
    run(inbox.message(second, "three"))  # a new message updates the customer too
    assert sorted(found(inbox.organization, "bea")) == sorted([first, second])
    assert found(inbox.organization, "ann") == customers_found(inbox.organization, "ann") == []
    # And back again: a document that equals a deleted one is new.
    run(inbox.rename(customer, "Ann", "ann@example.com"))
    assert sorted(found(inbox.organization, "ann")) == sorted([first, second])
    assert customers_found(inbox.organization, "ann@") == [customer]


def test_a_conversation_that_is_gone_is_no_longer_found(inbox: Inbox) -> None:
    customer = inbox.customer("Ann")
    gone, left = inbox.conversation(customer), inbox.conversation(customer)
    run(inbox.message(gone, "parcel"), inbox.note(gone, "parcel"), inbox.message(left, "parcel"))
    assert run(inbox.remove(gone)) == NOTHING_FAILED
    assert found(inbox.organization, "parcel") == [left]
    assert found(inbox.organization, "ann") == [left]


def test_a_job_for_a_whole_conversation_indexes_what_is_missing(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"))
    indexed = inbox.message(conversation, "first words")
    inbox.message(conversation, "second words")
    inbox.note(conversation, "third words")
    system = Note.key_for(inbox.organization, conversation, "msg_system")
    put(
        system,
        {
            "id": "msg_system",
            "conversationId": conversation,
            "kind": "system",
            "body": "Resolved",
            "attachments": [],
        },
    )
    run(indexed)
    run({"organization": inbox.organization, "conversationId": conversation})
    assert [found(inbox.organization, word) for word in ("first", "second", "third")] == [[conversation]] * 3
    assert found(inbox.organization, "resolved") == []
    assert documents(inbox) == 5  # the customer, the head, three entries


def test_a_repeated_batch_changes_nothing(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"))
    jobs = [inbox.message(conversation, "first words"), inbox.note(conversation, "second words")]
    run(*jobs)
    before = objects(inbox.organization)
    index.clear_cache()
    with recorded_calls() as calls:
        assert run(*jobs, *jobs) == NOTHING_FAILED
    assert objects(inbox.organization) == before
    assert "s3:PutObject" not in calls


def test_a_new_message_in_a_long_thread_reads_that_message_alone(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"))
    run(*(inbox.message(conversation, f"message {number}") for number in range(30)))
    job = inbox.message(conversation, "one more")
    with recorded_calls() as calls:
        run(job)
    assert calls == [
        "s3:GetObject",  # the manifest, unchanged
        "dynamodb:BatchGetItem",  # the conversation
        "dynamodb:BatchGetItem",  # its customer
        "dynamodb:BatchGetItem",  # the message
        "s3:PutObject",  # the bundle
        "s3:PutObject",  # the manifest
    ]
    assert documents(inbox) == 33


def test_a_batch_of_many_makes_one_commit(inbox: Inbox) -> None:
    customer = inbox.customer("Ann")
    jobs = [inbox.message(inbox.conversation(customer), f"parcel {n}") for n in range(20)]
    with recorded_calls() as calls:
        run(*jobs)
    assert calls.count("s3:PutObject") == 2
    assert len(objects(inbox.organization)) == 2


def test_the_terms_of_a_text_are_stored_but_not_the_text(inbox: Inbox) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"), "Subject")
    message = inbox.message(conversation, "Words, some words!")
    note = inbox.note(conversation, "Other words")
    run(message, note)
    reader = index.index_of(inbox.organization).reader
    searcher = reader._searcher
    assert searcher is not None
    query = tantivy.Query.all_query()
    stored = [searcher.doc(at).to_dict() for _, at in searcher.search(query, 100).hits]
    texts = [{name: each[name] for name in ("words", "key", "id") if name in each} for each in stored]
    expected = [
        {"words": ["words some"], "key": [message["messageId"]]},
        {"words": ["other words"], "key": [note["noteId"]]},
        {"words": ["subject ann"], "id": [conversation]},
        {"words": ["ann"], "id": [inbox.names[conversation]]},
    ]
    assert sorted(map(str, texts)) == sorted(map(str, expected))
    numbers = {"kind", "conversation", "customer", "version", "sort_key"}
    assert {name for each in stored for name in each} == {"words", "key", "id"} | numbers


def test_a_search_before_anything_is_indexed_finds_nothing(api: Client) -> None:
    answer = api.get("/v1/conversations?q=kettle")

    assert (answer.status, answer.body) == (200, {"conversations": [], "nextCursor": None})


def test_messages_from_the_api_are_indexed_by_their_jobs(api: Client, organization: NewOrganization) -> None:
    sent = api.post(
        "/v1/messages",
        {
            "session": "session-1",
            "body": "The kettle leaks",
            "user": {"name": "John Smith", "email": "js@example.com"},
        },
    ).body
    path = f"/v1/conversations/{sent['conversationId']}"
    api.post(f"{path}/reply", {"body": "Please send it back"})
    api.post(f"{path}/note", {"body": "Known fault"})
    jobs = [
        job["body"]
        for item in whole_table.everything()
        if item.get("entity") == "outbox"
        for job in item["jobs"]
        if job["queue"] == "search"
    ]
    assert len(jobs) == 3
    assert all(set(job) <= {"organization", "conversationId", "messageId", "noteId"} for job in jobs)
    assert run(*jobs) == NOTHING_FAILED
    for text in ("kettle", "back", "fault", "smith", "kettle smith fault"):
        assert found(organization.organization_id, text) == [sent["conversationId"]]
    assert len(customers_found(organization.organization_id, "smi")) == 1


def test_a_malformed_item_fails_alone(inbox: Inbox) -> None:
    good, bad = inbox.conversation(inbox.customer("Ann")), inbox.conversation(inbox.customer("Bea"))
    jobs = [inbox.message(good, "parcel"), inbox.message(bad, "parcel")]
    table.update(Conversation.key_for(inbox.organization, bad), "REMOVE subject")
    nonsense = {"organization": inbox.organization, "conversationId": "no#id"}
    answer = run(*jobs, nonsense, {"organization": inbox.organization})
    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    assert failed == {"message-1", "message-2", "message-3"}
    assert found(inbox.organization, "parcel") == [good]


def test_a_job_that_fails_in_a_shared_message_leaves_the_others_of_the_message_alone(inbox: Inbox) -> None:
    first, last = inbox.conversation(inbox.customer("Ann")), inbox.conversation(inbox.customer("Bea"))
    good = inbox.message(first, "parcel"), inbox.message(last, "parcel")
    unreadable, malformed = {"kind": "moon"}, {"organization": inbox.organization, "conversationId": "no#id"}
    event = sqs_event(good[0], queue="search")
    event["Records"][0]["body"] = "\n".join(map(json.dumps, (good[0], unreadable, malformed, good[1])))

    answer = function("search_indexer").handler(event, Context())

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    assert sorted(found(inbox.organization, "parcel")) == sorted([first, last])


def test_a_failure_of_one_organization_leaves_the_others_alone(
    inbox: Inbox, other_organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Inbox(other_organization.organization_id)
    jobs = [
        inbox.message(inbox.conversation(inbox.customer()), "parcel"),
        other.message(other.conversation(other.customer()), "parcel"),
    ]
    index_one = indexing.index

    def failing(organization: str, work: list[SearchJob]) -> None:
        if organization == inbox.organization:
            raise RuntimeError
        index_one(organization, work)

    monkeypatch.setattr(indexing, "index", failing)
    assert run(*jobs) == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    assert len(found(other.organization, "parcel")) == 1


def test_jobs_without_time_left_return_soon_and_come_first(
    inbox: Inbox, other_organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Inbox(other_organization.organization_id)
    mine = inbox.message(inbox.conversation(inbox.customer()), "parcel")
    theirs = other.message(other.conversation(other.customer()), "parcel")
    left = iter([120_000, 14_999])
    monkeypatch.setattr(Context, "get_remaining_time_in_millis", lambda _: next(left))
    event = sqs_event(mine, theirs, queue="search")
    event["Records"][1]["attributes"]["ApproximateReceiveCount"] = "2"

    answer = function("search_indexer").handler(event, Context())

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    assert len(found(other.organization, "parcel")) == 1
    assert found(inbox.organization, "parcel") == []


def test_failed_jobs_return_soon(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "index", lambda *_: 1 / 0)
    asked: list[dict[str, int]] = []
    monkeypatch.setattr(
        type(clients.sqs()),
        "change_message_visibility_batch",
        lambda _, **request: asked.extend(request["Entries"]),
        raising=False,
    )
    run(*({"organization": inbox.organization, "customerId": f"cus_{number}"} for number in range(12)))
    assert len(asked) == 12
    assert {entry["VisibilityTimeout"] for entry in asked} == {5}


def documents(inbox: Inbox) -> int:
    """Return the number of documents in the index."""
    search_index = index.index_of(inbox.organization)
    search_index.refresh()
    return search_index.reader.documents
