"""Conversations that an integration follows: each of their events becomes a job that reads what there is to tell.

The fan-out makes the jobs, so that an organization without an integration pays for none, and no write of a conversation
knows of integrations.
"""

import json
from collections.abc import Sequence

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job

FOLLOW = "follow"
"""The kind of the job: a conversation has something new."""
_FOLLOWED = frozenset({WebhookEvent.MESSAGE_CREATED, WebhookEvent.CONVERSATION_UPDATED})
_SHOW_LINES = frozenset({App.SLACK})
"""The apps that show lines of the team."""


def followed_by(event: Event, apps: Sequence[str]) -> list[Job]:
    """Return the jobs of an event for the apps that follow its organization's conversations."""
    if event.type not in _FOLLOWED:
        return []
    conversation_id = json.loads(event.body)["data"]["conversation"]["id"]
    return [job(event.organization, App(app), conversation_id).to_job() for app in apps]


def line_followed_by(organization: str, conversation_id: str, apps: Sequence[str]) -> list[Job]:
    """Return the jobs of a line without an event for the apps that follow its organization's conversations."""
    return [
        job(organization, app, conversation_id).to_job() for each in apps if (app := App(each)) in _SHOW_LINES
    ]


def job(organization: str, app: App, conversation_id: str, *, due_at: int | None = None) -> IntegrationJob:
    """Return the job that brings a conversation up to date in an app, at an instant (ms) if one is given."""
    data = {"conversationId": conversation_id}
    return IntegrationJob(kind=FOLLOW, app=app, organization=organization, data=data, due_at=due_at)


def conversation_of(job: IntegrationJob) -> str:
    """Return the id of the conversation that a job of the kind `FOLLOW` is about."""
    return str(job.data["conversationId"])
