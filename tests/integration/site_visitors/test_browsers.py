"""The browsers of a help site's visitors: cookies, sessions, and forms of the site's own pages."""

import pytest

from benchmarks.capacity import metered
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.http.content import ClientInfo
from helpdesk.conversations.messages import visitors
from helpdesk.customers import identities
from helpdesk.customers.identities import Proven
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser, Visitor
from helpdesk.site.visitors.errors import FormNotOwn
from helpdesk.site.visitors.record import SitePlace, SiteSignIn, of_slug
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from tests.support.table import everything

BASE_URL = "https://support.example.com"


@pytest.fixture
def site(organization: NewOrganization) -> SitePlace:
    """The help site of an organization."""
    return of_slug(organization.organization_id, "acme", BASE_URL)


def sending(browser: Browser, site: SitePlace, **headers: str) -> ClientInfo:
    """Return a request of a browser that keeps the cookie it got."""
    pair = browsers.cookie(browser, site).get("set-cookie", f"__Secure-helpdesk-site={browser.value}")
    return ClientInfo("192.0.2.1", {"cookie": pair.partition(";")[0], **headers})


def of(client: ClientInfo, site: SitePlace) -> Browser:
    """Return the browser of a request, as the pages' router does."""
    sent = browsers.sent(client.headers, is_secure=site.is_secure)
    wanted = sent.keys_in(site.organization)
    return sent.browser_in(site.organization, table.get_many(wanted) if wanted else {})


def signed_in(site: SitePlace, epoch: int = 0) -> Browser:
    """Sign a new customer in."""
    proven = Proven(
        (identities.hash_of("email", "ada@example.com"),), {"name": "Ada", "email": "ada@example.com"}
    )
    customer = identities.find_or_create(site.organization, proven, visitors.introduce)
    transaction = Transaction()
    visitor = Visitor(customer.id, str(customer.session_hash), customer.name, customer.email)
    browser = browsers.sign_in(transaction, site, visitor, epoch)
    transaction.commit()
    return browser


def test_a_browser_without_a_cookie_gets_one_that_scripts_and_other_sites_cannot_use(site: SitePlace) -> None:
    browser = of(ClientInfo("192.0.2.1", {}), site)

    header = browsers.cookie(browser, site)["set-cookie"]
    name, *attributes = header.split("; ")
    assert name == f"__Secure-helpdesk-site={browser.value}"
    assert attributes == [f"Path={site.path}", "Max-Age=43200", "HttpOnly", "SameSite=Lax", "Secure"]
    assert browser.visitor is None


def test_over_http_the_cookie_is_not_secure_and_has_no_prefix(site: SitePlace) -> None:
    local = of_slug(site.organization, "acme", "http://127.0.0.1:4566/local")

    header = browsers.cookie(of(ClientInfo("", {}), local), local)["set-cookie"]

    assert header.startswith("helpdesk-site=")
    assert "; Path=/local/site/acme;" in header
    assert "Secure" not in header


def test_a_known_browser_keeps_its_cookie(site: SitePlace) -> None:
    first = of(ClientInfo("", {}), site)

    again = of(sending(first, site), site)

    assert again.value == first.value
    assert browsers.cookie(again, site) == {}


@pytest.mark.parametrize(
    "cookie",
    [
        "__Secure-helpdesk-site=" + "a" * 42,
        "__Secure-helpdesk-site=" + "a" * 43 + "; __Secure-helpdesk-site=" + "b" * 43,
        "__Secure-helpdesk-site=" + "a" * 43 + ".cus_#",
        "helpdesk-site=" + "a" * 43,
    ],
    ids=["short", "twice", "no customer", "another name"],
)
def test_a_cookie_that_is_not_ours_counts_as_none(site: SitePlace, cookie: str) -> None:
    assert of(ClientInfo("", {"cookie": cookie}), site).is_new


def test_an_anonymous_page_costs_no_call_and_that_of_a_visitor_one(site: SitePlace) -> None:
    browser = signed_in(site)

    with metered() as used:
        of(ClientInfo("", {}), site)
        of(sending(of(ClientInfo("", {}), site), site), site)
    assert used.calls == []
    with metered() as used:
        known = of(sending(browser, site), site)
    assert used.calls == ["BatchGetItem"]
    assert known.visitor is not None
    assert (known.visitor.name, known.visitor.email) == ("Ada", "ada@example.com")


def test_the_cookie_is_stored_as_a_hash_alone(site: SitePlace) -> None:
    browser = signed_in(site)

    assert browser.value not in str(everything())
    assert browser.hash in str(everything())


def test_a_session_ends_after_thirty_days(site: SitePlace) -> None:
    browser = signed_in(site)
    later = clock.now_us() + 30 * DAY_MS * 1_000

    with clock.frozen(lambda: later):
        assert of(sending(browser, site), site).visitor is None


def test_signing_out_ends_the_session_and_replaces_the_cookie(site: SitePlace) -> None:
    browser = signed_in(site)

    after = browsers.sign_out(browser, site)

    assert after.value != browser.value
    assert of(sending(browser, site), site).visitor is None


def test_another_organizations_cookie_signs_nobody_in(
    site: SitePlace, other_organization: NewOrganization
) -> None:
    browser = signed_in(site)
    other = of_slug(other_organization.organization_id, "other", BASE_URL)

    assert of(sending(browser, site), other).visitor is None


def test_a_session_names_one_customer(site: SitePlace) -> None:
    browser, other = signed_in(site), signed_in(site)
    mixed = f"{browser.value.partition('.')[0]}.cus_{'0' * 26}"

    assert of(sending(Browser(mixed, is_new=True), site), site).visitor is None
    assert browser.value.partition(".")[2] == other.value.partition(".")[2]


def test_a_new_method_of_signing_in_ends_the_sessions_of_the_old(site: SitePlace) -> None:
    browser = signed_in(site)
    table.put_new(SiteSignIn(organization=site.organization, epoch=1))

    assert of(sending(browser, site), site).visitor is None


def test_a_customer_who_is_being_erased_is_signed_out(site: SitePlace) -> None:
    browser = signed_in(site)
    customer_id = browser.value.partition(".")[2]
    table.update(Customer.key_for(site.organization, customer_id), "SET erasing = :e", values={":e": "era_1"})

    assert of(sending(browser, site), site).visitor is None


def test_a_form_of_the_sites_own_page_passes(site: SitePlace) -> None:
    browser = of(sending(of(ClientInfo("", {}), site), site), site)

    browsers.require_own_form(browser, browser.csrf, sending(browser, site), site)
    browsers.require_own_form(browser, browser.csrf, sending(browser, site, origin=BASE_URL), site)
    origin = {"origin": "null", "sec-fetch-site": "same-origin"}
    browsers.require_own_form(browser, browser.csrf, sending(browser, site, **origin), site)


@pytest.mark.parametrize(
    ("csrf", "headers"),
    [
        ("", {}),
        ("é", {}),
        ("0" * 64, {}),
        (None, {"origin": "https://evil.example"}),
        (None, {"sec-fetch-site": "cross-site"}),
        (None, {"sec-fetch-site": "same-site"}),
    ],
    ids=["no token", "no ASCII", "another token", "another origin", "another site", "another host"],
)
def test_a_form_from_elsewhere_is_refused(site: SitePlace, csrf: str | None, headers: dict[str, str]) -> None:
    browser = of(sending(of(ClientInfo("", {}), site), site), site)

    with pytest.raises(FormNotOwn):
        browsers.require_own_form(
            browser, browser.csrf if csrf is None else csrf, sending(browser, site, **headers), site
        )


def test_a_browser_without_the_cookie_sends_no_form(site: SitePlace) -> None:
    browser = of(ClientInfo("", {}), site)

    with pytest.raises(FormNotOwn):
        browsers.require_own_form(browser, browser.csrf, ClientInfo("", {}), site)


def test_a_form_without_a_token_must_be_from_the_site(site: SitePlace) -> None:
    browsers.require_same_site(ClientInfo("", {"sec-fetch-site": "same-origin"}), site)

    with pytest.raises(FormNotOwn):
        browsers.require_same_site(ClientInfo("", {"sec-fetch-site": "cross-site"}), site)
