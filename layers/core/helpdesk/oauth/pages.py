"""What the pages say. Each takes what it shows and returns a page; none of them needs a script."""

from collections.abc import Sequence
from http import HTTPStatus

from helpdesk.http.content import HtmlPage
from helpdesk.oauth import redirects
from helpdesk.oauth.errors import PageError
from helpdesk.oauth.html import Markup, fill, joined, page
from helpdesk.oauth.record import RequestRecord
from helpdesk.oauth.sign_in import CODE_MINUTES
from helpdesk.people.record import PersonRecord
from helpdesk.platform.errors import AppError

type Choice = tuple[str, str, str]
"""An organization to choose: its id, its name, the person's role in it."""

_MOST_RADIOS = 6
_NONE = Markup("")


def _problem(problem: str) -> Markup:
    return (
        fill('<p class="problem" id="problem" role="alert">{problem}</p>', problem=problem)
        if problem
        else _NONE
    )


def _invalid(problem: str) -> Markup:
    return Markup(' aria-invalid="true" aria-describedby="problem"') if problem else _NONE


def hidden(**values: str) -> Markup:
    """Return hidden fields."""
    field = '<input type="hidden" name="{name}" value="{value}">'
    return joined(*(fill(field, name=name, value=value) for name, value in values.items()))


def sign_in(root: str, csrf: str, then: str, *, why: str, email: str = "", problem: str = "") -> HtmlPage:
    """Ask for an e-mail address. `why` says what signing in is for."""
    content = fill(
        """<p class="soft">{why}</p>{problem}
<form method="post" action="{root}/oauth/sign-in">{hidden}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required autofocus maxlength="320"
 value="{email}"{invalid}>
<button type="submit">Send me a code</button>
</form>
<p class="soft small after">There is no password. We send a code to your address, and whoever is new here gets an
account with it.</p>""",
        root=root,
        why=why,
        problem=_problem(problem),
        invalid=_invalid(problem),
        email=email,
        hidden=hidden(csrf=csrf, then=then),
    )
    return page("Sign in", content, status=HTTPStatus.BAD_REQUEST if problem else None)


def code(
    root: str, csrf: str, then: str, *, handle: str, email: str, back: str, problem: str = ""
) -> HtmlPage:
    """Ask for the code that was mailed."""
    told = fill("to <strong>{email}</strong>", email=email) if email else Markup("to your address")
    content = fill(
        """<p class="soft">We sent a code {told}. It works for {minutes} minutes.</p>{problem}
<form method="post" action="{root}/oauth/code">{hidden}
<label for="code">Code of six digits</label>
<input class="code" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required
 autofocus maxlength="12"{invalid}>
<button type="submit">Sign in</button>
</form>
<p class="soft small after">Nothing came? Look in the folder for spam, and wait a little: an address gets at most
three codes at once and ten an hour. <a href="{back}">Use another address or a new code</a>.</p>""",
        root=root,
        told=told,
        minutes=CODE_MINUTES,
        problem=_problem(problem),
        invalid=_invalid(problem),
        hidden=hidden(csrf=csrf, then=then, sign_in=handle),
        back=back,
    )
    return page("Check your mail", content, status=HTTPStatus.BAD_REQUEST if problem else None)


def signed_in_as(root: str, csrf: str, then: str, person: PersonRecord) -> Markup:
    """Return who is signed in, with the way to sign out."""
    return fill(
        """<form class="bare after" method="post" action="{root}/oauth/sign-out">{hidden}
<span class="soft small">Signed in as {email}.</span>
<button class="link small" type="submit">Not you? Sign out</button>
</form>""",
        root=root,
        hidden=hidden(csrf=csrf, then=then),
        email=person.email,
    )


def consent(
    root: str,
    csrf: str,
    *,
    handle: str,
    asked: RequestRecord,
    person: PersonRecord,
    choices: Sequence[Choice],
    problem: str = "",
) -> HtmlPage:
    """Ask whether a program may act for the person, and in which organization."""
    warning = _NONE
    if asked.device_hash:
        leads_to = "the device that shows the code"
        warning = fill(
            '<p class="warning">Only go on if you started this yourself and your device shows the code '
            "<strong>{code}</strong>. If somebody sent you the code or this link, say no: they would get into your "
            "account.</p>",
            code=asked.user_code,
        )
    else:
        leads_to = redirects.shown(asked.redirect_uri)
    content = fill(
        """<p class="soft">It may do everything that you may do yourself, until it signs out.</p>
<dl><dt>Program</dt><dd>{program}</dd><dt>Leads to</dt><dd>{leads_to}</dd><dt>You</dt><dd>{name} ({email})</dd></dl>
{warning}{problem}
<form method="post" action="{root}/oauth/consent">{hidden}
{choices}
<div class="pair"><button type="submit" name="decision" value="allow">Allow</button>
<button class="quiet" type="submit" name="decision" value="deny">Do not allow</button></div>
</form>
<p class="soft small">The program named itself; we have not checked who it is.</p>
{who}""",
        program=asked.client_name,
        leads_to=leads_to,
        name=person.name,
        email=person.email,
        warning=warning,
        problem=_problem(problem),
        root=root,
        hidden=hidden(csrf=csrf, request=handle),
        choices=_choices(choices),
        who=signed_in_as(root, csrf, f"consent:{handle}", person),
    )
    return page(
        f"Let {asked.client_name} act for you?",
        content,
        status=HTTPStatus.BAD_REQUEST if problem else None,
        form_targets="" if asked.device_hash else redirects.form_targets(asked.redirect_uri),
    )


def _choices(choices: Sequence[Choice]) -> Markup:
    if not choices:
        return fill(
            '<p class="soft small">You belong to no organization yet: the program can create one for you.</p>{none}',
            none=hidden(organization=""),
        )
    every = [*choices, ("", "None", "decide later, in the program")]
    if len(every) > _MOST_RADIOS:
        option = '<option value="{value}">{name} ({role})</option>'
        options = joined(*(fill(option, value=value, name=name, role=role) for value, name, role in every))
        return fill(
            '<label for="organization">Organization</label>'
            '<select id="organization" name="organization">{all}</select>',
            all=options,
        )
    radio = (
        '<label class="choice"><input type="radio" name="organization" value="{value}"{checked}>'
        "<span>{name} <small>{role}</small></span></label>"
    )
    shown = [
        fill(radio, value=value, name=name, role=role, checked=Markup(" checked") if number == 0 else _NONE)
        for number, (value, name, role) in enumerate(every)
    ]
    return fill("<fieldset><legend>Organization</legend>{all}</fieldset>", all=joined(*shown))


def user_code(root: str, csrf: str, *, filled: str = "", problem: str = "") -> HtmlPage:
    """Ask for the code that a device shows."""
    content = fill(
        """<p class="soft">Type in the code that your device or program shows.</p>
<p class="warning">Did somebody send you a code? Close this page: with it they would get into your account.</p>{problem}
<form method="post" action="{root}/oauth/device">{hidden}
<label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters"
 spellcheck="false" placeholder="XXXX-XXXX" required autofocus maxlength="20" value="{filled}"{invalid}>
<button type="submit">Continue</button>
</form>""",
        root=root,
        problem=_problem(problem),
        invalid=_invalid(problem),
        hidden=hidden(csrf=csrf),
        filled=filled,
    )
    return page("Connect a device", content, status=HTTPStatus.BAD_REQUEST if problem else None)


def device_done(*, allowed: bool, program: str) -> HtmlPage:
    """Say that the person's answer has reached the device."""
    if allowed:
        told = fill(
            "<p>{program} may now act for you. You can close this page and go back to it.</p>",
            program=program,
        )
        return page("Your device is connected", told)
    told = fill("<p>{program} was refused. You can close this page.</p>", program=program)
    return page("Not connected", told)


def refusal(error: AppError) -> HtmlPage:
    """Say any refusal on a page."""
    told = fill('<p role="alert">{message}</p>', message=error.message.replace("`", ""))
    if isinstance(error, PageError):
        return page(error.title, told, status=error.status)
    title = "This page is not there" if error.status == HTTPStatus.NOT_FOUND else "This did not work"
    return page(title, told, status=error.status)
