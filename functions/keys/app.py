"""/v1/keys: the organization's secret keys."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.http.schemas import OK, Ok
from helpdesk.routing.api import Api
from helpdesk.secret_keys import revoking
from helpdesk.secret_keys import service as secret_keys
from helpdesk.secret_keys.errors import InvalidKeyName, KeyNotFound, TooManyKeys
from helpdesk.secret_keys.schemas import KeyCreated, KeysAnswer, NewKey

api = Api()


@api.get("/v1/keys", access=Access.ACCOUNT_ADMIN)
def list_keys(caller: Caller) -> KeysAnswer:
    """List the secret keys, revoked ones included; the keys themselves are not stored."""
    return KeysAnswer(keys=secret_keys.listed(caller.organization))


@api.post("/v1/keys", access=Access.ACCOUNT_ADMIN, errors=(InvalidKeyName, TooManyKeys))
def create_key(caller: Caller, new: NewKey) -> KeyCreated:
    """Create a secret key; the answer is the only place where it is shown."""
    return secret_keys.create(caller, new)


@api.delete("/v1/keys/<key_id>", access=Access.ACCOUNT_ADMIN, errors=(KeyNotFound,))
def revoke_key(caller: Caller, key_id: str) -> Ok:
    """Revoke a secret key from the next request on; webhooks that it signed arrive but never verify again."""
    revoking.revoke(caller, key_id)
    return OK


handler = api.handler
