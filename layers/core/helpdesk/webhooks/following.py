"""Conversations that something follows: each of their events becomes a job that reads what there is to tell.

Apps such as Slack follow, and so does the mail of messages that visitors haven't read. The fan-out makes the jobs, so
an organization that uses neither pays for none, and no write of a conversation knows of them.
"""

import json
from collections.abc import Sequence

from helpdesk.conversations.jobs import UnreadJob
from helpdesk.events.followers import UNREAD_MAIL, EventFollower
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobBody, JobQueue
from helpdesk.platform.units import MINUTE_MS

FOLLOW = "follow"
"""The kind of the job: a conversation has something new."""
_FOLLOWED = frozenset({WebhookEvent.MESSAGE_CREATED, WebhookEvent.CONVERSATION_UPDATED})
TEAM_WAITS_MS = 2 * MINUTE_MS
"""How long what the team is notified of gathers."""
_AWAITS_TEAM = '"awaitingHuman":true'
_SHOW_LINES = frozenset({App.SLACK})
"""The apps that show lines of the team."""


class TeamJob(JobBody, tag_field="kind", tag="team"):
    """A conversation, to be looked at for what the team is to be notified of, at `due_at` (ms)."""

    organization: str
    conversation_id: str
    due_at: int

    def to_job(self) -> Job:
        """Return the job for the timer queue."""
        return Job(JobQueue.TIMER, self.to_body(), due_at=self.due_at)


def team_job(event: Event) -> Job | None:
    """Return the job by which the team is notified of an event: a conversation waits for it, or changed hands."""
    if event.type not in _FOLLOWED or (
        event.type == WebhookEvent.MESSAGE_CREATED and _AWAITS_TEAM not in event.data
    ):
        return None
    conversation = json.loads(event.data)["conversation"]
    if conversation["status"] != "open":
        return None
    return TeamJob(event.organization, conversation["id"], event.created_at + TEAM_WAITS_MS).to_job()


def followed_by(event: Event, followers: Sequence[EventFollower]) -> list[Job]:
    """Return the jobs of an event for those who follow its organization's conversations."""
    if event.type not in _FOLLOWED:
        return []
    data = json.loads(event.data)
    found = []
    for follower in followers:
        if follower.app != UNREAD_MAIL:
            found.append(job(event.organization, App(follower.app), data["conversation"]["id"]).to_job())
        elif follower.after_minutes is not None:
            message, due_at = data.get("message", {}), event.created_at + follower.after_minutes * MINUTE_MS
            # A conversation that began with a mail has asked for the look itself, at once.
            asked = any(each.body.get("kind") == "unread" for each in event.jobs)
            if message.get("sender") == "agent" and not asked:
                unread = UnreadJob(event.organization, message["conversationId"], message["id"], due_at)
                found.append(unread.to_job())
    return found


def line_followed_by(
    organization: str, conversation_id: str, followers: Sequence[EventFollower]
) -> list[Job]:
    """Return the jobs of a line without an event for the apps that follow its organization's conversations."""
    apps = [each.app for each in followers if each.app in _SHOW_LINES]
    return [job(organization, App(app), conversation_id).to_job() for app in apps]


def job(organization: str, app: App, conversation_id: str, *, due_at: int | None = None) -> IntegrationJob:
    """Return the job that brings a conversation up to date in an app, at an instant (ms) if one is given."""
    data = {"conversationId": conversation_id}
    return IntegrationJob(kind=FOLLOW, app=app, organization=organization, data=data, due_at=due_at)


def conversation_of(job: IntegrationJob) -> str:
    """Return the id of the conversation that a job of the kind `FOLLOW` is about."""
    return str(job.data["conversationId"])
