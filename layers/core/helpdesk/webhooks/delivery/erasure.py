"""Removes the events of deleted messages, and their deliveries."""

from collections.abc import Sequence

from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import repository


def delete_for(organization: str, event_ids: Sequence[str]) -> None:
    """Remove events and their deliveries to the organization's present endpoints.

    Costs one query of the endpoints and one call per 25 items. Nothing happens without events.
    """
    if event_ids:
        endpoints = [endpoint.id for endpoint in webhooks.listening(organization)]
        repository.delete_events(organization, event_ids, endpoints)
