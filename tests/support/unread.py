"""Answers that a visitor may not read, and the time until they're mailed."""

from typing import Any

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.following import followed_by
from tests.support import table as whole_table
from tests.support.api import Client, function
from tests.support.mail import carry
from tests.support.queues import sqs_event
from tests.support.site import opened
from tests.support.site_browser import SiteBrowser
from tests.support.workers import LongContext

MINUTE = 60_000


class Time:
    """The clock of a test, which advances when the test says so."""

    def __init__(self) -> None:
        self.now = clock.now_ms()

    def pass_by(self, minutes: float) -> None:
        """Advance, look at every answer whose time has come, and carry the mail."""
        self.now += int(minutes * MINUTE)
        for job in unread_jobs():
            if job["dueAt"] <= self.now:
                look(job)
        carry()


def unread_jobs() -> list[dict[str, Any]]:
    """Return the jobs of the answers so far, their own and those of the fan-out, in the order of the answers."""
    made = []
    for item in whole_table.of_kind("EVENT"):
        event = Event.from_item(item)
        followers = webhooks.listeners(event.organization).followers
        made += [job.body for job in (*event.jobs, *followed_by(event, followers))]
    found = [body for body in made if body.get("kind") == "unread"]
    return sorted(found, key=lambda body: str(body["messageId"]))


def look(job: dict[str, Any]) -> None:
    """Look at an answer when its time has come."""
    answer = function("timers").handler(sqs_event(job, queue="timer"), LongContext())
    assert answer == {"batchItemFailures": []}


def reply(member: Client, conversation: str, body: str) -> None:
    """Answer in a conversation."""
    assert member.post(f"/v1/conversations/{conversation}/reply", {"body": body}).status == 200


def set_plan(organization: NewOrganization, plan: Plan) -> None:
    """Put an organization on a plan."""
    organizations.set_plan(organization.organization_id, plan, api_limits=False, unlimited_api=False)


def on_site(api: Client) -> tuple[SiteBrowser, str]:
    """Let a visitor of the help site write to the team; return their browser and the conversation's path."""
    opened(api)
    browser = SiteBrowser(api.get("/v1/site").body["url"].rstrip("/"))
    browser.open("/contact")
    where, fields = browser.form("/contact")
    answer = browser.send(where, {**fields, "body": "Hello", "email": "vera@example.com"})
    return browser, answer.headers["location"].removeprefix(browser.root).partition("?")[0]
