"""/v1/keys: the organization's secret keys."""

from helpdesk.http.api import Api

api = Api()

handler = api.handler
