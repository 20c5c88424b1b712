"""The message to those who reported a signal, when it is done: once each, in the thread and by mail."""

from collections.abc import Iterator
from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.mail.allowance import NOTICES
from helpdesk.platform import clock
from helpdesk.progress import notices
from helpdesk.signals import notifying
from helpdesk.storage.transactions import Transaction
from tests.support import table as everything
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.mail import Sent, carry, post_office
from tests.support.signals import (
    a_minute_later,
    conversation,
    filed,
    jobs,
    merge,
    read,
    report,
    set_status,
    work,
)

TEXT = (
    "“The export stops”, which you reported to us, is done. If something is still missing, just write here."
)


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


def answers_in(api: Client, conversation_id: str) -> list[str]:
    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    return [each["body"] for each in entries if each["kind"] == "message" and each["sender"] == "agent"]


def finish(api: Client, signal: str) -> str:
    set_status(api, signal, "done")
    return work(jobs("status")[-1])


def test_a_reporter_reads_once_in_the_newest_conversation_that_it_is_done(
    api: Client, organization: NewOrganization
) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="Again")
    report(api, signal, conversationId=second)
    api.post(f"/v1/conversations/{second}/resolve")

    assert finish(api, signal) == "notified"
    assert work(jobs("status")[-1]) == "notified"

    assert (answers_in(api, first), answers_in(api, second)) == ([], [TEXT])
    shown = api.get(f"/v1/conversations/{second}").body
    assert shown["conversation"]["status"] == "resolved"
    assert shown["messages"][-1]["agent"]["kind"] == "human"
    assert shown["messages"][-1]["agent"]["name"].startswith("Organization")
    [reporter] = read(api, signal)["reporters"]
    assert 0 <= shown["messages"][-1]["createdAt"] - reporter["notifiedAt"] < 5_000
    sent = everything.events()[-1]
    assert (sent["type"], sent["data"]["message"]["body"]) == ("message.created", TEXT)


def test_an_archived_conversation_is_left_alone_and_the_customer_still_hears(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    api.post(f"/v1/conversations/{first}/archive")
    finish(api, signal)

    assert answers_in(api, first) == []
    newest = api.get("/v1/conversations?limit=1").body["conversations"][0]["id"]
    assert (newest != first, answers_in(api, newest)) == (True, [TEXT])


def test_each_reads_what_they_reported_and_not_the_working_title_of_the_team(api: Client) -> None:
    vera, grace, sam, quoted = (
        conversation(api, f"session-of-{name}") for name in ("vera", "grace", "sam", "kim")
    )
    signal = filed(api, "Export ends early", conversationId=vera)
    duplicate = filed(api, "CSV is cut off", conversationId=grace)
    another = filed(api, "Rows are missing", conversationId=sam)
    long = "Half of my\ncontacts are missing" + " from the list" * 9
    report(api, another, conversationId=quoted, quote=long)
    api.patch(f"/v1/signals/{duplicate}", {"title": "INC-7"})
    merge(api, signal, duplicate)
    merge(api, signal, another)
    api.patch(f"/v1/signals/{signal}", {"title": "INC-42 pg_dump deadlock"})

    finish(api, signal)

    said = [each for of in (vera, grace, sam, quoted) for each in answers_in(api, of)]
    begins = [each.partition(", which you reported to us")[0] for each in said]
    assert begins == [
        "“Export ends early”",
        "“CSV is cut off”",
        "“Rows are missing”",
        f"“Half of my contacts are missing{' from the list' * 6}…”",
    ]


def test_nobody_is_notified_where_the_change_says_so_or_nobody_is_known(api: Client) -> None:
    signal = filed(api, conversationId=conversation(api))
    report(api, signal, who="A name")
    set_status(api, signal, "done", notify=False)

    assert work(jobs("status")[-1]) == "followed"
    assert [each["notifiedAt"] for each in read(api, signal)["reporters"]] == [None, None]


def test_who_was_notified_is_not_notified_again_until_they_report_it_again(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    finish(api, signal)
    set_status(api, signal, "open")
    finish(api, signal)
    assert answers_in(api, first) == [TEXT]

    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="It stops again")
    report(api, signal, conversationId=second)
    assert read(api, signal)["reporters"][0]["notifiedAt"] is None
    set_status(api, signal, "open")
    finish(api, signal)
    assert (answers_in(api, first), answers_in(api, second)) == ([TEXT], [TEXT])

    # The answer to the message comes in the conversation that has it.
    report(api, signal, conversationId=second)
    set_status(api, signal, "open")
    finish(api, signal)
    assert answers_in(api, second) == [TEXT, TEXT]


def test_who_reports_a_signal_again_after_it_is_done_reads_nothing_of_the_fix_before(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    set_status(api, signal, "done")
    late = jobs("status")[-1]
    with a_minute_later():
        report(api, signal, conversationId=first)
        report(api, signal, conversationId=conversation(api, "session-of-grace"))

        assert work(late) == "notified"
        assert answers_in(api, first) == []
        set_status(api, signal, "open")
        finish(api, signal)
        assert answers_in(api, first) == [TEXT]
        assert all(each["notifiedAt"] for each in read(api, signal)["reporters"])


def test_a_report_at_the_moment_of_the_message_is_about_the_next_fix(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    set_status(api, signal, "done")
    organization = jobs("status")[-1].organization
    done = notifying.done(organization, signal)
    assert done is not None
    [seen], _ = notifying.waiting(done, 10, None)
    with a_minute_later():
        report(api, signal, conversationId=first)

    transaction = Transaction()
    notifying.add(transaction, done, seen)
    with pytest.raises(notifying.StaleReporter):
        transaction.commit()
    assert notifying.waiting(done, 10, None) == ([], None)


def test_a_signal_that_became_done_again_in_silence_notifies_nobody(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    set_status(api, signal, "done")
    set_status(api, signal, "open")
    set_status(api, signal, "done", notify=False)

    assert [work(job) for job in jobs("status") if job.notify] == ["not_done"]
    assert answers_in(api, first) == []


def test_a_signal_that_is_no_longer_done_notifies_nobody(api: Client) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    set_status(api, signal, "done")
    set_status(api, signal, "in review")

    assert [work(job) for job in jobs("status") if job.notify] == ["not_done"]
    assert answers_in(api, first) == []


def test_a_visitor_who_waits_for_an_answer_still_waits(api: Client, organization: NewOrganization) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first)
    before = everything.of_kind("CONV")[0]
    finish(api, signal)

    after = everything.of_kind("CONV")[0]
    assert after["newestMessageId"] != before["newestMessageId"]
    same = ("status", "handledBy", "lastSpeaker", "newestVisitorMessageId", "answeredUpTo", "GSI1PK")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_a_customer_without_a_session_is_mailed_and_one_with_both_gets_both(
    api: Client, mails: list[Sent]
) -> None:
    known = api.post("/v1/customers", {"email": "grace@example.com"}).body["id"]
    unknown = api.post("/v1/customers", {"name": "Nobody"}).body["id"]
    first = conversation(api, user={"email": "vera@example.com"})
    signal = filed(api, conversationId=first)
    report(api, signal, customerId=known)
    report(api, signal, customerId=unknown)
    finish(api, signal)
    finish(api, signal)
    carry()

    assert sorted(mail.to[0] for mail in mails) == ["grace@example.com", "vera@example.com"]
    assert all(TEXT in mail.text for mail in mails)
    assert answers_in(api, first) == [TEXT]
    notified = {each["who"]: each["notifiedAt"] is not None for each in read(api, signal)["reporters"]}
    assert notified == {"vera@example.com": True, "grace@example.com": True, "Nobody": False}


def test_a_slice_hands_on_where_its_time_or_the_mail_allowance_is_over(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    signal = filed(api)
    for number in range(3):
        customer = api.post("/v1/customers", {"email": f"reporter{number}@example.com"}).body["id"]
        report(api, signal, customerId=customer)
    set_status(api, signal, "done")
    assert work(jobs("status")[-1], 0) == "handed_on"

    monkeypatch.setattr("helpdesk.mail.allowance.NOTICES", NOTICES._replace(burst=2, per_hour=2))
    assert work(jobs("status")[-1]) == "handed_on"
    waits = jobs("status")[-1]
    assert waits.after is not None
    [item] = [each for each in everything.of_kind("JOB") if each["jobs"][0]["body"].get("after")]
    assert clock.now_ms() < item["jobs"][0]["dueAt"] <= clock.now_ms() + 900_000
    monkeypatch.setattr("helpdesk.mail.allowance.NOTICES", NOTICES._replace(name="refilled"))
    assert notices.work(waits, clock.now_ms() + 50_000) == "notified"
    done = notifying.done(waits.organization, signal)
    assert done is not None
    assert notifying.waiting(done, 10, None) == ([], None)


def test_two_workers_at_once_notify_a_reporter_once(api: Client) -> None:
    for seed in range(3):
        first = conversation(api, f"session-number-{seed}")
        signal = filed(api, f"Title {seed}", conversationId=first)
        set_status(api, signal, "done")
        job = jobs("status")[-1]
        assert interleaved([partial(work, job)] * 2, seed).all() == ["notified"] * 2
        assert len(answers_in(api, first)) == 1
