"""Every path that no group serves returns 404 not_found, with or without a credential."""

from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL")

handler = Api().handler
