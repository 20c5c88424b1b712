"""Tokens that open live connections: who gets one, and for what."""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.limits import Tier
from helpdesk.conversations.messages import sessions
from helpdesk.live import ceilings, connections, repository
from helpdesk.live.errors import SessionNotAllowed, SessionRequired
from helpdesk.live.record import CONNECTS_WITHIN_MS, MEMBERS, LiveToken
from helpdesk.live.schemas import LiveTokenAnswer, LiveTokenInput
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction


def issue(caller: Caller, wanted: LiveTokenInput) -> LiveTokenAnswer:
    """Return a token for a member, or with a key for a visitor's session.

    Raises SessionRequired, SessionNotAllowed, InvalidSession, ConversationNotFound, TooManyConnections.
    """
    if caller.person is None:
        if wanted.session is None:
            raise SessionRequired
        session_hash = sessions.hashed(sessions.require_session(wanted.session))
        return for_session(caller.organization, caller.tier, session_hash, wanted.conversation_id)
    if wanted.session is not None:
        raise SessionNotAllowed
    if wanted.conversation_id is not None:
        repository.session_of(caller.organization, wanted.conversation_id)
    return _issue(
        caller.organization, caller.tier, caller.person.id, caller.person.name, wanted.conversation_id
    )


def for_session(
    organization: str, tier: Tier, session_hash: str, conversation_id: str | None = None
) -> LiveTokenAnswer:
    """Return a token for a visitor's session by its hash; the session need not have written yet.

    With a conversation that is not the session's, the connection gets no hints. Raises TooManyConnections.
    """
    return _issue(organization, tier, session_hash, None, conversation_id)


def _issue(organization: str, tier: Tier, holder: str, name: str | None, only: str | None) -> LiveTokenAnswer:
    connections.require_place(organization, holder)
    ceiling = ceilings.CONNECTIONS[tier]
    ceilings.charge(organization, ceiling, of_member=holder.startswith(MEMBERS))
    text = f"svc_live_{organization.removeprefix('org_')}_{ids.secret()}"
    token = LiveToken(
        organization=organization,
        token_hash=sha256_hex(text),
        holder=holder,
        name=name,
        only=only,
        ceiling=ceiling,
        valid_until=clock.now_ms() + CONNECTS_WITHIN_MS,
    )
    transaction = Transaction()
    transaction.put(token, new=True)
    transaction.commit()
    return LiveTokenAnswer(url=settings().live_url, token=text, expires_at=token.valid_until)
