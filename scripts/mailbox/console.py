"""Signs the demo organization's people in to the console of a local stack, without a code.

It stores what a sign-in stores, and sets the cookie that a sign-in sets. Browsers send a cookie to every port of a
host, so the stack gets the one that this page sets.
"""

from collections.abc import Mapping

from helpdesk.accounts.oauth import console, sessions
from helpdesk.accounts.oauth.record import BrowserSession
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.platform import clock, ids
from helpdesk.storage import table


class SignIn:
    """Signs people in. `people` has the id of each by their role."""

    def __init__(self, base_url: str, people: Mapping[str, str]) -> None:
        self._base_url = base_url
        self._people = people

    @property
    def address(self) -> str:
        """The address of the console."""
        return console.address(self._base_url)

    def cookie_of(self, role: str) -> str | None:
        """Sign the person with a role in, in a new browser, and return its cookie; None without such a person."""
        if role not in self._people:
            return None
        browser = Browser(ids.secret(), is_new=True)
        session = BrowserSession(
            browser_hash=browser.hash,
            user_id=self._people[role],
            before=(),
            valid_until=clock.now_ms() + sessions.SESSION_SECONDS * 1_000,
            expires_at=clock.seconds_from_now(sessions.KNOWN_SECONDS),
        )
        table.put_new(session)
        return sessions.cookie(browser, self._base_url)["set-cookie"]
