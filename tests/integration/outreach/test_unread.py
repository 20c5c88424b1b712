"""Mail of answers that a visitor hasn't read: when it goes out, what cancels it, and what it has."""

import json
from collections.abc import Callable, Iterator
from copy import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.message_record import Author
from helpdesk.conversations.state import Speaker
from helpdesk.conversations.thread import OutgoingMessage
from helpdesk.events.outbox import Event
from helpdesk.outreach import unread
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery.fanout import fan_out
from helpdesk.webhooks.following import UnreadJob, followed_by
from tests.integration.outreach.test_sending import EMAIL, SESSION, outreach, visit
from tests.support import table as whole_table
from tests.support.api import Client, function
from tests.support.mail import Sent, carry, jobs, run_mailer, stream_records, waiting
from tests.support.queues import sqs_event
from tests.support.site import opened
from tests.support.site_browser import SiteBrowser
from tests.support.support_email import set_support_email
from tests.support.workers import LongContext

MINUTE = 60_000
type Make = Callable[..., NewOrganization]


class Time:
    """The clock of a test, which advances when it's told to."""

    def __init__(self) -> None:
        self.now = clock.now_ms()

    def pass_by(self, minutes: float) -> None:
        """Advance, look at every answer whose time has come, and carry the mail."""
        self.now += int(minutes * MINUTE)
        for job in unread_jobs():
            if job["dueAt"] <= self.now:
                look(job)
        carry()


@pytest.fixture
def time() -> Iterator[Time]:
    """The clock, which starts at the present."""
    moving = Time()
    with clock.frozen(lambda: moving.now * 1_000):
        yield moving


def unread_jobs() -> list[dict[str, Any]]:
    """Return the jobs that the fan-out makes of the answers so far, in their order."""
    made = []
    for item in sorted(whole_table.of_kind("EVENT"), key=lambda item: str(item["id"])):
        event = Event.from_item(item)
        made += [job.body for job in followed_by(event, webhooks.listeners(event.organization).followers)]
    return [body for body in made if body.get("kind") == "unread"]


def look(job: dict[str, Any]) -> None:
    answer = function("timers").handler(sqs_event(job, queue="timer"), LongContext())
    assert answer == {"batchItemFailures": []}


def reply(member: Client, conversation: str, body: str) -> None:
    assert member.post(f"/v1/conversations/{conversation}/reply", {"body": body}).status == 200


def test_an_answer_that_stays_unread_for_five_minutes_is_mailed(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, "Where is my order?", email=EMAIL)
    reply(member, conversation, "It arrives **tomorrow**.")
    time.pass_by(4.9)
    assert mails == []
    time.pass_by(0.1)

    (sent,) = mails
    name = api.get("/v1/organization").body["name"]
    assert (sent.to, sent.subject) == ([EMAIL], f"A message from {name}")
    assert sent.text == (
        "It arrives **tomorrow**.\n\n"
        f"Max Member of {name} wrote this to you. Replies to this mail are not read: "
        "answer where you wrote to us before.\n"
    )
    assert "order" not in sent.html
    time.pass_by(60)
    assert len(mails) == 1


def test_answers_are_mailed_together_once_the_last_has_waited(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(3)
    reply(member, conversation, "In the morning.")
    time.pass_by(3)
    assert mails == []
    time.pass_by(2)

    (sent,) = mails
    name = api.get("/v1/organization").body["name"]
    assert sent.text.startswith(
        f"Max Member of {name}\n\nIt arrives tomorrow.\n\nMax Member of {name}\n\nIn the morning.\n\n"
    )


@pytest.mark.parametrize("after", [False, True])
def test_a_visitor_who_fetches_an_answer_gets_no_mail_of_it(
    api: Client, member: Client, mails: list[Sent], time: Time, after: bool
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    (first,) = api.get(f"/v1/messages?session={SESSION}").body["conversations"][0]["messages"]
    reply(member, conversation, "It arrives tomorrow.")
    api.get(f"/v1/messages?session={SESSION}" + (f"&after={first['id']}" if after else ""))
    time.pass_by(5)

    assert mails == []


def test_an_answer_after_what_was_fetched_is_mailed_alone(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    api.get(f"/v1/messages?session={SESSION}")
    time.pass_by(1)
    reply(member, conversation, "In the morning.")
    time.pass_by(5)

    (sent,) = mails
    assert sent.text.startswith("In the morning.\n\n")


def test_a_visitor_who_writes_on_has_read_what_came_before(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(1)
    api.post("/v1/messages", {"session": SESSION, "body": "Thanks"})
    time.pass_by(5)

    assert mails == []


def test_a_visitor_of_the_help_site_who_opens_the_conversation_has_read_it(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    browser, path = on_site(api)
    reply(member, path.rpartition("/")[2], "It arrives tomorrow.")
    browser.open(path)
    time.pass_by(5)

    assert mails == []


def test_a_mail_links_to_the_conversation_on_the_help_site_and_to_no_other_page(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = {"session": SESSION, "body": "Hello", "user": {"email": EMAIL}}
    page = {"page": {"url": "https://elsewhere.example/contact"}}
    by_api = api.post("/v1/messages", {**elsewhere, **page}).body["conversationId"]
    browser, path = on_site(api)
    monkeypatch.setenv("BASE_URL", browser.root.partition("/site/")[0])
    settings.cache_clear()
    for conversation in (by_api, path.rpartition("/")[2]):
        reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(5)

    of_api, of_site = mails
    assert "elsewhere.example" not in of_api.html
    assert of_site.text.endswith(f"\n\n{browser.root}{path}\n")


def test_somebody_who_reads_while_the_mail_waits_gets_none(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.now += 5 * MINUTE
    (job,) = unread_jobs()
    look(job)
    api.get(f"/v1/messages?session={SESSION}")
    carry()

    assert mails == []


def test_a_job_that_runs_twice_mails_once(api: Client, member: Client, mails: list[Sent], time: Time) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.now += 5 * MINUTE
    (job,) = unread_jobs()
    look(job)
    look(job)

    assert len(jobs()) == 1
    carry()
    look(job)
    carry()
    assert len(mails) == 1


def test_what_ses_did_not_take_is_mailed_whole_later(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
    time.now += 5 * MINUTE
    for job in unread_jobs():
        look(job)
    assert fan_out(stream_records()) == []
    with monkeypatch.context() as patched:

        def unreachable(**_: Any) -> None:
            raise EndpointConnectionError(endpoint_url="https://email.example")

        patched.setattr(clients.ses(1), "send_email", unreachable)
        (record,) = waiting()
        assert run_mailer([record]) == [record["messageId"]]
    assert run_mailer([record]) == []

    (sent,) = mails
    assert "tomorrow" in sent.text
    assert "morning" in sent.text


def test_what_was_mailed_at_once_is_not_mailed_again(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, customer = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    outreach(member, customer, "A refund is on its way.")
    carry()
    time.pass_by(5)

    assert [sent.text.partition("\n")[0] for sent in mails] == [
        "A refund is on its way.",
        "It arrives tomorrow.",
    ]


def test_the_agents_markdown_is_html_without_images_and_says_that_a_machine_wrote_it(
    api: Client, organization: NewOrganization, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    seen = conversations.get(organization.organization_id, conversation)
    answer = OutgoingMessage(
        Author("ai", "Robin"), "**Tomorrow**, see [orders](https://shop.example/o) ![x](https://a.b/c.png)"
    )
    transaction = Transaction()
    thread.append_by_team(transaction, seen, replace(seen.state, last_speaker=Speaker.AGENT), answer)
    transaction.commit()
    time.pass_by(5)

    (sent,) = mails
    assert "<strong>Tomorrow</strong>" in sent.html
    assert 'href="https://shop.example/o"' in sent.html
    assert "<img" not in sent.html
    assert sent.headers["Auto-Submitted"] == "auto-replied"


def test_the_mails_of_a_conversation_refer_to_one_id_so_that_they_stay_together(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
        time.pass_by(5)

    root = f"<{conversation}@helpdesk.example>"
    assert [sent.headers for sent in mails] == [{"In-Reply-To": root, "References": root}] * 2
    assert mails[0].subject == mails[1].subject


@pytest.mark.parametrize("why", ["no address", "turned off", "archived", "no sender", "explore"])
def test_nothing_is_mailed_without_an_address_or_where_mail_is_left_out(
    api: Client,
    admin: Client,
    member: Client,
    organization: NewOrganization,
    mails: list[Sent],
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    why: str,
) -> None:
    conversation, _ = visit(api, **({} if why == "no address" else {"email": EMAIL}))
    reply(member, conversation, "It arrives tomorrow.")
    waiting_jobs = unread_jobs()
    match why:
        case "turned off":
            admin.patch("/v1/organization", {"unreadMailMinutes": 0})
        case "archived":
            member.post(f"/v1/conversations/{conversation}/archive")
        case "no sender":
            monkeypatch.setenv("MAIL_FROM", "")
            settings.cache_clear()
        case "explore":
            set_plan(organization, Plan.EXPLORE)
    time.now += 5 * MINUTE
    look(waiting_jobs[0])

    assert jobs() == []


def test_an_address_gets_three_mails_at_once_and_the_next_when_ten_minutes_have_passed(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    for number in range(4):
        conversation, _ = visit(api, session=f"{SESSION}-{number}", email=EMAIL)
        reply(member, conversation, f"Answer {number}.")
    time.pass_by(5)
    assert len(mails) == 3
    time.now += 10 * MINUTE
    look(unread_jobs()[-1])
    carry()

    assert len(mails) == 4


def test_an_answer_whose_mail_waits_for_a_day_is_given_up(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    for _ in range(unread.MAILS_TO_ADDRESS_BURST):
        unread._charge(str(whole_table.of_kind("ORG")[0]["id"]), EMAIL)
    (job,) = unread_jobs()
    time.now += 5 * MINUTE

    assert unread.look(UnreadJob.from_body(job)) is unread.Outcome.PUT_OFF
    time.now += unread.GIVES_UP_AFTER_MS
    for _ in range(unread.MAILS_TO_ADDRESS_BURST):
        unread._charge(str(whole_table.of_kind("ORG")[0]["id"]), EMAIL)
    assert unread.look(UnreadJob.from_body(job)) is unread.Outcome.NOT_MAILED


def test_a_look_before_its_time_waits_for_the_rest_of_it(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    (job,) = unread_jobs()
    sent: list[dict[str, Any]] = []

    def send(**request: Any) -> dict[str, Any]:
        sent.extend(request["Entries"])
        return {}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", send)
    time.now += MINUTE
    look(job)

    assert [(json.loads(each["MessageBody"]), each["DelaySeconds"]) for each in sent] == [(job, 240)]


@pytest.mark.parametrize("plan", [Plan.STANDARD, Plan.EXPLORE])
def test_answers_are_looked_at_only_where_the_plan_includes_mail(make_organization: Make, plan: Plan) -> None:
    made = make_organization(plan, api_limits=False)
    api = Client(made.secret_key)
    reply(api, visit(api, email=EMAIL)[0], "It arrives tomorrow.")
    included = plan is Plan.STANDARD
    assert len(unread_jobs()) == int(included)

    set_plan(made, Plan.EXPLORE if included else Plan.STANDARD)

    assert len(unread_jobs()) == int(not included)


@pytest.mark.parametrize(
    ("minutes", "status"), [(0, 200), (2, 200), (60, 200), (1, 400), (61, 400), (-5, 400)]
)
def test_an_organization_chooses_from_2_to_60_minutes_or_none(
    admin: Client, minutes: int, status: int
) -> None:
    assert admin.get("/v1/organization").body["unreadMailMinutes"] == 5

    assert admin.patch("/v1/organization", {"unreadMailMinutes": minutes}).status == status

    assert admin.get("/v1/organization").body["unreadMailMinutes"] == (minutes if status == 200 else 5)


def test_the_minutes_of_the_settings_are_those_that_an_answer_waits(
    api: Client, admin: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    admin.patch("/v1/organization", {"unreadMailMinutes": 30})
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(29)
    assert mails == []
    time.pass_by(1)

    assert len(mails) == 1


def test_replies_go_to_the_support_address(
    api: Client, admin: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    set_support_email(admin, "help@shop.example")
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(5)

    assert mails[-1].reply_to == ["help@shop.example"]
    assert "To answer, reply to this mail." in mails[-1].text


def set_plan(organization: NewOrganization, plan: Plan) -> None:
    organizations.set_plan(organization.organization_id, plan, api_limits=False, unlimited_api=False)


def on_site(api: Client) -> tuple[SiteBrowser, str]:
    """Let a visitor of the help site write to the team; return their browser and the conversation's path."""
    opened(api)
    browser = SiteBrowser(api.get("/v1/site").body["url"].rstrip("/"))
    browser.open("/contact")
    where, fields = browser.form("/contact")
    answer = browser.send(where, {**fields, "body": "Hello", "email": EMAIL})
    return browser, answer.headers["location"].removeprefix(browser.root).partition("?")[0]
