"""The simulations run on the same stand-in for AWS as the integration tests."""

from tests.integration.conftest import _clients, api, aws, make_organization, organization

__all__ = ["_clients", "api", "aws", "make_organization", "organization"]
