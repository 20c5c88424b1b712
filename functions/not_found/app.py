"""Every path that no group serves returns 404 not_found, with or without a credential."""

from helpdesk.routing.api import Api

handler = Api().handler
