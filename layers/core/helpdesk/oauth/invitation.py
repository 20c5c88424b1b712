"""The page behind an invitation's link: who invites whom, to what, as what."""

from datetime import UTC, datetime

from helpdesk.http.content import HtmlPage
from helpdesk.invites.record import InvitePreview
from helpdesk.oauth import pages
from helpdesk.oauth.html import fill, page
from helpdesk.oauth.sessions import Browser

_DETAILS = """<dl><dt>Organization</dt><dd>{organization}</dd><dt>Your role</dt><dd>{role}</dd>
<dt>Invited by</dt><dd>{inviter}</dd><dt>For</dt><dd>{email}</dd><dt>Until</dt><dd>{until} UTC</dd></dl>"""


def shown(root: str, browser: Browser, token: str, preview: InvitePreview) -> HtmlPage:
    """Return the page for whoever looks at it: to sign in first, to join, or to sign in as the one invited."""
    then = f"invite:{token}"
    details = fill(
        _DETAILS,
        organization=preview.organization_name,
        role=preview.role.value,
        inviter=preview.invited_by_name,
        email=preview.email,
        until=f"{datetime.fromtimestamp(preview.valid_until / 1_000, UTC):%d %B %Y, %H:%M}",
    )
    title = f"Join {preview.organization_name}?"
    if browser.person is None:
        why = (
            f"{preview.invited_by_name} invites you to {preview.organization_name} as {preview.role.value}. "
            "Sign in with the address that was invited."
        )
        return pages.sign_in(root, browser.csrf, then, why=why, email=preview.email)
    who = pages.signed_in_as(root, browser.csrf, then, browser.person)
    if browser.person.email != preview.email:
        told = fill(
            '{details}<p class="problem" role="alert">You are signed in with another address. '
            "Sign out, and sign in with the one that was invited.</p>{who}",
            details=details,
            who=who,
        )
        return page(title, told)
    join = fill(
        """{details}
<form method="post" action="{root}/invite/{token}">{csrf}
<button type="submit">Join</button></form>{who}""",
        details=details,
        root=root,
        token=token,
        csrf=pages.hidden(csrf=browser.csrf),
        who=who,
    )
    return page(title, join)


def joined_page(preview: InvitePreview) -> HtmlPage:
    """Say that the person is a member now."""
    told = fill(
        "<p>You are a member of <strong>{organization}</strong> now, as {role}. You can close this page.</p>",
        organization=preview.organization_name,
        role=preview.role.value,
    )
    return page("Welcome", told)
