"""Addresses of tool endpoints, for those who know only ids."""

from collections.abc import Sequence

from helpdesk.tools import repository


def by_ids(organization: str, endpoint_ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of connected endpoints by id. One call for up to 100."""
    return repository.urls_of(organization, endpoint_ids)
