"""The simulations run on the same stand-in for AWS as the integration tests."""

from tests.integration.conftest import _clients, _emulated, api, aws, make_organization, organization

__all__ = ["_clients", "_emulated", "api", "aws", "make_organization", "organization"]
