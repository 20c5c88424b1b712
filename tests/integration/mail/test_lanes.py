"""A sign-in code and an invitation never wait for outreach, however much of it waits."""

import json
from copy import copy
from dataclasses import dataclass, field

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from helpdesk.accounts.oauth import sign_in
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outreach import pacing
from helpdesk.platform import clients, ids
from helpdesk.platform.settings import settings
from tests.support.api import Client
from tests.support.mail import Sent, jobs, run_mailer
from tests.support.stand_in import QUEUES, REGION
from tests.support.template import template
from tests.support.workers import Workers, received

MANY = 10_000
SES_PER_SECOND = 14  # of a new account with production access


def fill_outreach(organization: str) -> None:
    """Let 10,000 messages to customers wait to be mailed.

    They are put into moto's queue directly: sending each compares it with all that wait.
    """
    body = {"kind": "message", "organization": organization, "conversationId": "conv_1"}
    clients.sqs().send_message(
        QueueUrl=settings().outreach_queue_url,
        MessageBody=json.dumps(body | {"customerId": "cus_0", "messageId": "msg_0"}),
        MessageGroupId="cus_0",
        MessageDeduplicationId="msg_0",
    )
    queue = sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[QUEUES["OUTREACH_QUEUE_URL"]]
    (first,) = queue._messages
    for number in range(1, MANY):
        message = copy(first)
        message.id, message.group_id = f"outreach-{number}", f"cus_{number}"
        queue._messages.append(message)


def waiting_outreach() -> int:
    answer = clients.sqs().get_queue_attributes(
        QueueUrl=settings().outreach_queue_url, AttributeNames=["ApproximateNumberOfMessages"]
    )
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def test_ten_thousand_waiting_messages_to_customers_delay_no_code_and_no_invitation(
    admin: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    fill_outreach(organization.organization_id)

    sign_in.begin(Browser(ids.secret(), is_new=True), "grace@example.com", "203.0.113.7")
    assert [mail.subject for mail in mails] == ["Your code to sign in"]

    admin.post("/v1/invites", {"email": "henry@example.com", "role": "member"})
    assert Workers().fan_out() == 1
    assert run_mailer(received(settings().mail_queue_url)) == []
    assert [mail.to for mail in mails] == [["grace@example.com"], ["henry@example.com"]]
    assert waiting_outreach() == MANY


def test_messages_to_customers_and_invitations_wait_in_queues_of_their_own(
    api: Client, admin: Client, mails: list[Sent]
) -> None:
    sent = {"session": "session-of-vera", "body": "Hello", "user": {"email": "vera@example.com"}}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    api.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})
    admin.post("/v1/invites", {"email": "henry@example.com", "role": "member"})

    assert [job["jobs"][0]["queue"] for job in jobs()] == ["outreach", "mail"]


def test_each_lane_has_its_own_concurrency_and_the_pace_counts_on_that_of_outreach() -> None:
    lanes = template()["Resources"]["MailerFunction"]["Properties"]["Events"]

    queues = {name: lane["Properties"]["Queue"]["Fn::GetAtt"][0] for name, lane in lanes.items()}
    assert queues == {"Mails": "MailQueue", "Outreach": "OutreachQueue"}
    limits = {name: lane["Properties"]["ScalingConfig"] for name, lane in lanes.items()}
    assert limits == {
        "Mails": {"MaximumConcurrency": 5},
        "Outreach": {"MaximumConcurrency": pacing.CONCURRENCY},
    }


@dataclass
class Environment:
    """An execution environment of the mailer with a clock of its own; stands in for the module `time`."""

    now: float

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class SendingRate:
    """SES's limit of mails in any second. `refused` names the mails that exceeded it."""

    at: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def send(self, what: str, now: float) -> None:
        self.at = [at for at in self.at if at > now - 1]
        if len(self.at) >= SES_PER_SECOND:
            self.refused.append(what)
        else:
            self.at.append(now)


@pytest.mark.parametrize("seconds_per_mail", [0.0, 0.05, 0.4])
def test_while_outreach_waits_ses_always_has_room_for_codes(
    monkeypatch: pytest.MonkeyPatch, seconds_per_mail: float
) -> None:
    monkeypatch.delenv("OUTREACH_PER_HOUR")
    settings.cache_clear()
    rate = SendingRate()
    environments = [Environment(0.0), Environment(0.013)]
    left, next_codes = MANY, 0.5
    while left:
        running = min(environments, key=lambda each: each.now)
        if running.now >= next_codes:
            for number in range(8):
                rate.send(f"code {number} at {next_codes}", next_codes)
            next_codes += 1
            continue
        monkeypatch.setattr(pacing, "time", running)
        with pacing.paced():
            rate.send("outreach", running.now)
            running.now += seconds_per_mail
        left -= 1

    assert rate.refused == []
    assert max(each.now for each in environments) == pytest.approx(MANY / 4, rel=0.01)


def test_outreach_goes_out_at_twice_its_ceiling_where_that_is_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTREACH_PER_HOUR", "36000")
    settings.cache_clear()

    assert pacing.per_second() == 20
