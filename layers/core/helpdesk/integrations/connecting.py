"""Connecting a service in the browser: the page that asks for which organization, the service's, and the way back.

An admin signs in as on the OAuth pages. The `state` that goes to the service is bound to the browser, the person and
the organization, is used once and lasts ten minutes; PKCE goes with it (RFC 7636; RFC 9700, section 2.1).
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from helpdesk.accounts.oauth import pages, sessions
from helpdesk.accounts.oauth.errors import RequestExpired
from helpdesk.accounts.oauth.pages import Choice
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.oauth.web import WHY_CONNECT, root_of, with_cookie
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission import waits
from helpdesk.api.admission.caller import Role
from helpdesk.api.http.content import ClientInfo, HtmlPage, SeeOther, see_other
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import client, credentials, repository, service
from helpdesk.integrations.adapter import AccountChoice, Authorization, Callback, Connected, Connector
from helpdesk.integrations.errors import AppNotSetUp, ConnectFailed, NoAdmin, TryLater
from helpdesk.integrations.record import (
    APPS,
    MAX_ACCOUNT_CHARACTERS,
    AppCredentials,
    Connection,
    ConnectionStatus,
    ConnectState,
    Tokens,
    slot_of,
)
from helpdesk.integrations.schemas import CallbackQuery, ConnectForm
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.text import as_name
from helpdesk.platform.units import MINUTE_MS, SECOND_MS
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

STATE_MINUTES = 10
CONNECT_SECONDS = 20.0
"""How long the service may take for all that a connection needs of it."""
_MOST_TOGETHER = 10

type Response = HtmlPage | SeeOther


def show(
    name: str,
    client_info: ClientInfo,
    organization: str,
    base_url: str,
    connectors: Mapping[App, Connector],
) -> HtmlPage:
    """Return the page that begins a connection, or the sign-in page.

    Raises IntegrationNotFound, AppNotSetUp, NoAdmin.
    """
    app = service.app_named(name)
    connector, known = _set_up(app, connectors)
    browser = sessions.of(client_info, base_url)
    return with_cookie(_page(app, browser, organization, base_url, connector, known), browser, base_url)


def begin(
    name: str,
    client_info: ClientInfo,
    form: ConnectForm,
    base_url: str,
    connectors: Mapping[App, Connector],
) -> Response:
    """Redirect the person to the service's page. Raises IntegrationNotFound, AppNotSetUp, NoAdmin, CsrfError."""
    app = service.app_named(name)
    connector, known = _set_up(app, connectors)
    browser = sessions.of(client_info, base_url)
    sessions.require_own_form(browser, form.csrf, client_info, base_url)
    if browser.person is None or form.organization not in _administered(browser.person):
        return _page(app, browser, form.organization, base_url, connector, known)
    state, verifier = ids.secret(), ids.secret()
    way = form.way if form.way in {each.name for each in connector.WAYS} else ""
    valid_until = clock.now_ms() + STATE_MINUTES * MINUTE_MS
    table.put_new(
        ConnectState(
            state_hash=sha256_hex(state),
            app=app,
            organization=form.organization,
            user_id=browser.person.id,
            browser_hash=browser.hash,
            verifier=verifier,
            valid_until=valid_until,
            way=way,
            account=form.account[:MAX_ACCOUNT_CHARACTERS],
            expires_at=valid_until // SECOND_MS,
        )
    )
    wanted = Authorization(state, _callback_address(app, base_url), _challenge(verifier), way)
    return see_other(client.address(connector.authorize_url(known, wanted)))


def finish(
    name: str,
    client_info: ClientInfo,
    query: CallbackQuery,
    base_url: str,
    connectors: Mapping[App, Connector],
) -> HtmlPage:
    """Store the account that the service's page brought back, or let the person choose one of several.

    Raises RequestExpired, ConnectFailed, NoAdmin, and RateLimited while too many requests wait for other servers.
    """
    app = service.app_named(name)
    connector, known = _set_up(app, connectors)
    browser = sessions.of(client_info, base_url)
    state = _used_state(app, browser, query)
    person = browser.person
    if person is None or person.id != state.user_id:
        raise RequestExpired(
            f"You're signed in as somebody else now, or not at all. Start again at /v1/connect/{app.value}."
        )
    if state.organization not in _administered(person):
        raise NoAdmin("You're no longer an admin or owner of this organization. Ask an admin to connect it.")
    if query.error or not query.code:
        raise ConnectFailed(f"{APPS[app].service} denied access. Start again, and allow it there.")
    callback = Callback(
        query.model_dump(exclude={"state"}),
        _callback_address(app, base_url),
        state.verifier,
        state.way,
        state.account,
        lambda account_ids: _working(state.organization, app, account_ids),
    )
    tier = organizations.get(state.organization).tier
    try:
        with waits.on_others(state.organization, tier, CONNECT_SECONDS):
            found = connector.connect(known, callback)
    except TryLater:
        raise ConnectFailed(
            f"{APPS[app].service} did not respond in time. Nothing was connected. Start again in a minute."
        ) from None
    if isinstance(found, AccountChoice):
        return _choice(found, state, browser, base_url, _leads_to(app, base_url, connector, known))
    return _connected(found, state, person)


def _connected(found: Connected, state: ConnectState, person: PersonRecord) -> HtmlPage:
    app = state.app
    # The name is whatever people call the account there, and is shown in pages, terminals and the log.
    account = as_name(found.account, MAX_ACCOUNT_CHARACTERS) or found.account_id
    connection = Connection(
        organization=state.organization,
        app=app,
        slot=slot_of(app, found.account_id),
        id=ids.new("conn"),
        account_id=found.account_id,
        account=account,
        status=ConnectionStatus.CONNECTED,
        connected_at=clock.now_ms(),
        connected_by_name=ActorName(person.name, person.id),
        details=found.details,
    )
    _store(connection, found.tokens)
    organization = organizations.get(state.organization).name
    values = {"service": APPS[app].service, "account": account, "organization": organization}
    return pages.page("connected", "Connected", values)


def _choice(
    found: AccountChoice, state: ConnectState, browser: Browser, base_url: str, leads_to: str
) -> HtmlPage:
    """Return the page that asks which account. The service is asked again about the one that is chosen."""
    values = {
        "root": root_of(base_url),
        "csrf": browser.csrf,
        "then": f"connect:{state.app.value}",
        "app": state.app.value,
        "service": APPS[state.app].service,
        "email": "" if browser.person is None else browser.person.email,
        "organization": state.organization,
        "way": state.way,
        "accounts": found.accounts,
    }
    return pages.page("choose_account", "Which account?", values, form_targets=leads_to)


def _working(organization: str, app: App, account_ids: Sequence[str]) -> frozenset[str]:
    """Return those of some accounts to which an organization has a connection that works."""
    slots = [slot_of(app, each) for each in account_ids]
    return frozenset(
        each.account_id
        for each in repository.connections.by_ids(organization, app, ids=slots).values()
        if each.status is ConnectionStatus.CONNECTED
    )


def _store(connection: Connection, tokens: Tokens) -> None:
    def attempt() -> None:
        found = service.connections(connection.organization, connection.app)
        replaced = next((each for each in found if each.slot == connection.slot), None)
        transaction = Transaction()
        for each in [each for each in found if _gave_way(each, connection)][:_MOST_TOGETHER]:
            repository.remove(transaction, each)
            service.add_replaced(transaction, each)
        repository.put(transaction, connection, replaced)
        credentials.put_tokens(transaction, connection, tokens)
        if replaced is not None:
            service.add_replaced(transaction, replaced)
        service.add_connected(transaction, connection)
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def _gave_way(found: Connection, connection: Connection) -> bool:
    """Return whether a connection is broken and its account has another one now, as an App installed again has."""
    return (
        found.slot != connection.slot
        and found.status is ConnectionStatus.BROKEN
        and found.account.casefold() == connection.account.casefold()
    )


def _used_state(app: App, browser: Browser, query: CallbackQuery) -> ConnectState:
    over = RequestExpired(
        f"This link was used already, is older than {STATE_MINUTES} minutes, or is from another browser. "
        f"Start again at /v1/connect/{app.value}."
    )
    if not query.state and query.setup_action:  # it began at the service
        raise ConnectFailed(
            f"{APPS[app].service} saved your choices. Accounts that are connected stay connected. To connect "
            f"an account that has the App, start at /v1/connect/{app.value}."
        )
    if len(query.state) != len(ids.secret()) or query.repeated:
        raise over
    found = credentials.take_state(sha256_hex(query.state), frozenset({browser.hash, *browser.before}))
    if found is None or found.app is not app:
        raise over
    return found


def _set_up(app: App, connectors: Mapping[App, Connector]) -> tuple[Connector, AppCredentials]:
    connector, known = connectors.get(app), credentials.of(app)
    if connector is None or known is None:
        raise AppNotSetUp
    return connector, known


def _page(
    app: App,
    browser: Browser,
    organization: str,
    base_url: str,
    connector: Connector,
    known: AppCredentials,
) -> HtmlPage:
    root, then = root_of(base_url), f"connect:{app.value}"
    if browser.person is None:
        return pages.sign_in(root, browser.csrf, then, why=WHY_CONNECT)
    administered = _administered(browser.person)
    if not administered:
        raise NoAdmin
    choices = [
        Choice(named.id, named.name, browser.person.roles[named.id].value)
        for named in organizations.by_ids(ids=administered).values()
    ]
    values = {
        "root": root,
        "csrf": browser.csrf,
        "then": then,
        "app": app.value,
        "service": APPS[app].service,
        "email": browser.person.email,
        "choices": sorted(choices, key=lambda choice: choice.value != organization),
        "ways": connector.WAYS,
    }
    leads_to = _leads_to(app, base_url, connector, known)
    return pages.page("connect", f"Connect {APPS[app].service}?", values, form_targets=leads_to)


def _leads_to(app: App, base_url: str, connector: Connector, known: AppCredentials) -> str:
    """Return the origin of the service's page, to which forms may lead."""
    example = Authorization("state", _callback_address(app, base_url), "challenge")
    parts = urlsplit(client.address(connector.authorize_url(known, example)))
    return f"{parts.scheme}://{parts.netloc}"


def _administered(person: PersonRecord) -> list[str]:
    """Return the organizations in which a person may connect services."""
    return [each for each, role in person.roles.items() if role.rank >= Role.ADMIN.rank]


def _callback_address(app: App, base_url: str) -> str:
    return f"{base_url}/v1/connect/{app.value}/callback"


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
