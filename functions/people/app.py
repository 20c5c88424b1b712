"""/v1/me, /v1/organizations, /v1/members and /v1/invites: people, and the organizations they belong to."""

from helpdesk.http.api import Api

api = Api()

handler = api.handler
