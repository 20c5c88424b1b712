"""POST /live/tokens, and what a token opens."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.platform import clock
from tests.integration.live.conftest import Member, member
from tests.support.api import Client
from tests.support.live import Gateway, Refused

SESSION = {"session": "visitor-0001"}


def later(milliseconds: int) -> Callable[[], int]:
    instant = clock.now_us() + milliseconds * 1_000
    return lambda: instant


def test_a_member_gets_a_token_that_opens_one_connection(gateway: Gateway, ada: Member) -> None:
    answer = ada.post("/v1/live/tokens", {})

    assert answer.status == 200
    assert answer.body["url"] == "wss://live.execute-api.eu-west-1.amazonaws.com/test"
    assert gateway.connect(answer.body["token"]).is_open
    with pytest.raises(Refused):
        gateway.connect(answer.body["token"])


def test_a_token_opens_nothing_after_a_minute(gateway: Gateway, ada: Member) -> None:
    answer = ada.post("/v1/live/tokens", {}).body

    with clock.frozen(later(60_000)), pytest.raises(Refused):
        gateway.connect(answer["token"])
    assert answer["expiresAt"] - clock.now_ms() <= 60_000


@pytest.mark.parametrize("token", ["", "svc_live_1_2", "svc_live_" + "0" * 26 + "_" + "a" * 43])
def test_an_unknown_token_opens_nothing(gateway: Gateway, token: str) -> None:
    with pytest.raises(Refused):
        gateway.connect(token)


def test_of_two_connections_with_one_token_one_opens(gateway: Gateway, ada: Member) -> None:
    token = ada.post("/v1/live/tokens", {}).body["token"]

    def connect(_: int) -> bool:
        try:
            return gateway.connect(token).is_open
        except Refused:
            return False

    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(connect, range(5))) == [False] * 4 + [True]


def test_a_token_of_somebody_who_left_opens_nothing(
    gateway: Gateway, organization: NewOrganization, admin: Client, ada: Member
) -> None:
    token = ada.post("/v1/live/tokens", {}).body["token"]
    admin.delete(f"/v1/members/{ada.user_id}")

    with pytest.raises(Refused):
        gateway.connect(token)


def test_a_key_names_the_session_that_it_asks_for(api: Client) -> None:
    answer = api.post("/v1/live/tokens", {})

    assert (answer.status, answer.code) == (400, "session_required")
    assert api.post("/v1/live/tokens", {"session": "short"}).code == "invalid_session"


def test_a_member_asks_for_no_session(ada: Member) -> None:
    assert ada.post("/v1/live/tokens", SESSION).code == "session_not_allowed"


def test_a_token_is_for_no_conversation_of_another_organization(ada: Member, stranger: Client) -> None:
    posted = stranger.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"}).body

    answer = ada.post("/v1/live/tokens", {"conversationId": posted["conversationId"]})

    assert (answer.status, answer.code) == (404, "conversation_not_found")


def test_a_session_has_at_most_two_connections_and_a_closed_one_makes_room(
    gateway: Gateway, api: Client
) -> None:
    first = gateway.connected(api, SESSION)
    gateway.connected(api, SESSION)

    refused = api.post("/v1/live/tokens", SESSION)
    assert (refused.status, refused.code) == (429, "too_many_connections")
    assert refused.headers["retry-after"] == "60"
    first.close()
    assert gateway.connected(api, SESSION).is_open


def test_a_person_has_at_most_twenty_connections_however_many_open_at_once(
    gateway: Gateway, ada: Member
) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ada.post("/v1/live/tokens", {}), range(24)))
    assert {answer.status for answer in answers} == {200}
    tokens = [answer.body["token"] for answer in answers]

    def connect(token: str) -> bool:
        try:
            return gateway.connect(token).is_open
        except Refused:
            return False

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(connect, tokens))

    assert opened.count(True) == 20
    assert ada.post("/v1/live/tokens", {}).code == "too_many_connections"


def test_a_lost_disconnect_takes_a_place_for_two_hours_at_most(gateway: Gateway, api: Client) -> None:
    for _ in range(2):
        gateway.connected(api, SESSION).vanish()

    assert api.post("/v1/live/tokens", SESSION).code == "too_many_connections"
    with clock.frozen(later(2 * 3_600_000 + 1_000)):
        assert gateway.connected(api, SESSION).is_open


def test_a_plan_has_a_ceiling_and_what_a_connection_does_not_use_is_refunded(
    gateway: Gateway, make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helpdesk.live.ceilings.CONNECTIONS", {Tier.EXPLORE: 4})
    api = Client(make_organization(Plan.EXPLORE, api_limits=False).secret_key)
    open_sockets = [gateway.connected(api, {"session": f"visitor-000{n}"}) for n in range(2)]

    refused = api.post("/v1/live/tokens", SESSION)
    assert (refused.status, refused.code) == (429, "too_many_connections")
    assert "4 live connections" in refused.message
    open_sockets[0].close()
    with clock.frozen(later(61_000)):
        assert gateway.connected(api, SESSION).is_open


def test_what_visitors_ask_for_takes_nothing_from_the_team(
    gateway: Gateway, make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helpdesk.live.ceilings.CONNECTIONS", {Tier.EXPLORE: 4})
    organization = make_organization(Plan.EXPLORE, api_limits=False)
    api = Client(organization.secret_key)
    for _ in range(2):  # never used
        assert api.post("/v1/live/tokens", SESSION).status == 200

    assert "of visitors" in api.post("/v1/live/tokens", SESSION).message
    assert gateway.connected(member(organization, "Ada Lovelace")).is_open
