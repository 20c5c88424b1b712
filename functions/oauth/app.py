"""/v1/oauth and /v1/.well-known: how a person lets a program act for him; the pages of it, and of an invitation."""

from helpdesk.http.api import Api

api = Api()

handler = api.handler
