"""/v1/keys: the organization's secret keys."""

from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.accounts.secret_keys.errors import InvalidKeyName, KeyNotFound, TooManyKeys
from helpdesk.accounts.secret_keys.schemas import KeyCreated, KeysAnswer, KeysQuery, NewKey
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/keys", access=Access.ACCOUNT_ADMIN, errors=(InvalidCursor,))
def list_keys(caller: Caller, query: KeysQuery) -> KeysAnswer:
    """List secret keys, including those revoked in the last 90 days. The keys themselves are not stored."""
    listed, end = secret_keys.listed(caller.organization, query.limit, position(caller, query, "keys"))
    return KeysAnswer(keys=listed, next_cursor=next_cursor(caller, end, "keys"))


@api.post("/v1/keys", access=Access.ACCESS_ADMIN, errors=(InvalidKeyName, TooManyKeys))
def create_key(caller: Caller, new: NewKey) -> KeyCreated:
    """Create a secret key. Only this response shows the key."""
    return secret_keys.create(caller, new)


@api.delete("/v1/keys/<key_id>", access=Access.ACCESS_ADMIN, errors=(KeyNotFound,))
def revoke_key(caller: Caller, key_id: str) -> Ok:
    """Revoke a secret key. It stops working at once. Webhooks and tool calls signed with it no longer verify."""
    from helpdesk.webhooks import key_revocation  # noqa: PLC0415 - it imports webhooks and tools, for one route

    key_revocation.revoke(caller, key_id)
    return OK


handler = api.handler
