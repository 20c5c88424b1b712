"""Mail of answers that a visitor hasn't read: when it goes out, and what cancels it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.integration.outreach.test_sending import EMAIL, SESSION, visit
from tests.support.api import Client
from tests.support.mail import Sent, carry, jobs
from tests.support.unread import MINUTE, Time, look, on_site, reply, set_plan, unread_jobs
from tests.support.workers import Workers

type Make = Callable[..., NewOrganization]


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


def test_the_fan_out_delays_the_look_at_an_answer_and_looks_at_nothing_else(
    api: Client, member: Client, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    sent: list[dict[str, Any]] = []

    def send(**request: Any) -> dict[str, Any]:
        sent.extend({**each, "queue": request["QueueUrl"]} for each in request["Entries"])
        return {}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", send)
    Workers().fan_out()

    timers = [each for each in sent if each["queue"] == settings().timer_queue_url]
    assert [(json.loads(each["MessageBody"]), each["DelaySeconds"]) for each in timers] == [
        (unread_jobs()[0], 300)
    ]


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
