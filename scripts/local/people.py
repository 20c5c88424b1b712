"""The demo organization's people, and the mail that the stack sends them, which stays in the emulator."""

import contextlib
from collections.abc import Mapping

from scripts.local.calls import call
from scripts.local.deployment import client
from scripts.local.operating import Operator, RefusedError
from scripts.local.progress import Problem, Progress
from scripts.local.settings import StackSettings

TOKEN_HOURS = 720
PEOPLE = {
    "owner_token": ("owner", "Demo Owner", "owner@example.com"),
    "admin_token": ("admin", "Demo Admin", "admin@example.com"),
    "member_token": ("member", "Demo Member", "member@example.com"),
}


def tokens(
    settings: StackSettings, operator: Operator, known: Mapping[str, str], progress: Progress
) -> dict[str, str]:
    """Return an access token of each of the demo organization's people, kept while it works. Errors: Problem.

    `known` is the content of stack.json, with the current organization.
    """
    organization = known["organization_id"]
    found = {name: known[name] for name in PEOPLE if _works(settings, known.get(name), organization)}
    missing = [name for name in PEOPLE if name not in found]
    if missing:
        progress.say("Creating access tokens for the demo organization's people.")
        found |= {name: _token(operator, name, organization) for name in missing}
    return {name: found[name] for name in PEOPLE}


def ids_in(stack: Mapping[str, str]) -> str:
    """Return the ids of the people whose tokens stack.json has: role=id,role=id. A token begins with its person's."""
    return ",".join(f"{role}=usr_{stack[name].split('_')[2]}" for name, (role, _, _) in PEOPLE.items())


def mail_json_url(settings: StackSettings) -> str:
    """Return where the mails that the stack has sent can be read, as JSON."""
    return f"{settings.endpoint_url}/_ministack/ses/messages"


def verify_sender(settings: StackSettings) -> None:
    """Let the stack send mail from its address, which SES requires to be verified first."""
    sender = settings.template_parameters()["MailFrom"]
    if not sender:
        return
    ses = client("sesv2", settings)
    with contextlib.suppress(ses.exceptions.AlreadyExistsException):
        ses.create_email_identity(EmailIdentity=sender)


def _works(settings: StackSettings, token: str | None, organization: str) -> bool:
    if token is None:
        return False
    status, answer = call(settings, token, "GET", "/v1/me")
    return status == 200 and (answer["organization"] or {}).get("id") == organization


def _token(operator: Operator, name: str, organization: str) -> str:
    """Create a token with the operator's command, adding the person first if they are not a member."""
    role, called, email = PEOPLE[name]
    if role != "owner":  # created with the organization
        # Refused when the person is a member already.
        with contextlib.suppress(RefusedError):
            operator.run("add-member", organization, "--email", email, "--name", called, "--role", role)
    try:
        words = ("--email", email, "--hours", str(TOKEN_HOURS))
        return operator.run("issue-token", organization, *words)["access_token"]
    except RefusedError as refused:
        raise Problem(f"{email} has no access token of the demo organization: {refused}") from None
