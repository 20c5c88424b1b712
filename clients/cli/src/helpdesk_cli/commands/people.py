"""members and invites: the people of the organization, and invitations to it."""

from __future__ import annotations

import sys

import click

from helpdesk_cli.framework import ID, Listing, limit_option
from helpdesk_cli.members import member_id
from helpdesk_cli.output import confirmed, moment, note, say, say_json, say_table
from helpdesk_cli.problems import Problem, Refusal
from helpdesk_cli.session import Session, pass_session

_ROLE = click.Choice(["owner", "admin", "member"])


@click.group(cls=Listing)
def members() -> None:
    """Members of the organization."""


@members.command("list")
@limit_option
@pass_session
def list_members(session: Session, limit: int) -> None:
    """List the members and their roles."""
    answer = session.api().listed("members", name="members", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "NAME", "E-MAIL", "ROLE", "JOINED"),
        [
            (one["userId"], one["name"], one["email"], one["role"], moment(one["joinedAt"]))
            for one in answer["members"]
        ],
        empty="There are no members.",
    )


@members.command()
@click.argument("who", metavar="ID_OR_EMAIL", type=ID)
@click.argument("new_role", metavar="ROLE", type=_ROLE)
@pass_session
def role(session: Session, who: str, new_role: str) -> None:
    """Change a member's role: owner, admin or member."""
    api = session.api()
    answer = api.patch("members", member_id(api, who), body={"role": new_role})
    session.done(answer, f"{who} is now {'a member' if new_role == 'member' else f'an {new_role}'}.")


@members.command("remove")
@click.argument("who", metavar="ID_OR_EMAIL", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def remove_member(session: Session, who: str, *, yes: bool) -> None:
    """Remove a member from the organization. Their access tokens stop working in it at once."""
    api = session.api()
    user_id = api.whole(member_id(api, who))
    if not yes and not confirmed(f"Remove {who} from the organization? They lose access at once."):
        raise Problem("Nobody was removed.", "Answer y, or use --yes.")
    session.done(api.delete("members", user_id), f"Removed {who}.")


@click.group(cls=Listing)
def invites() -> None:
    """Invitations to the organization."""


@invites.command("list")
@limit_option
@pass_session
def list_invites(session: Session, limit: int) -> None:
    """List the pending invitations, newest first."""
    answer = session.api().listed("invites", name="invites", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("ID", "E-MAIL", "ROLE", "INVITED BY", "SENT", "EXPIRES"),
        [
            (
                one["id"],
                one["email"],
                one["role"],
                one["invitedByName"],
                moment(one["createdAt"]),
                moment(one["validUntil"]),
            )
            for one in answer["invites"]
        ],
        empty="There are no pending invitations.",
    )


@invites.command()
@click.argument("email")
@click.option("--role", default="member", show_default=True, type=_ROLE)
@pass_session
def send(session: Session, email: str, role: str) -> None:
    """Invite a person by e-mail."""
    api = session.api()
    answer = api.post("invites", body={"email": email, "role": role})
    if session.as_json:
        say_json(answer)
    else:
        say(f"Invited {email} as {role} ({answer['id']}). You can also share this link yourself:")
        say(f"{session.base_url()}{answer['path']}")


@invites.command()
@click.argument("invite_id", metavar="ID", type=ID)
@pass_session
def resend(session: Session, invite_id: str) -> None:
    """Send an invitation's e-mail again."""
    session.done(session.api().post("invites", invite_id, "resend"), f"Sent {invite_id} again.")


@invites.command()
@click.argument("invite_id", metavar="ID", type=ID)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_session
def withdraw(session: Session, invite_id: str, *, yes: bool) -> None:
    """Withdraw an invitation. Its link stops working."""
    api = session.api()
    invite_id = api.whole(invite_id)
    if not yes and not confirmed(f"Withdraw {invite_id}? Its link stops working."):
        raise Problem("Nothing was withdrawn.", "Answer y, or use --yes.")
    session.done(api.delete("invites", invite_id), f"Withdrew {invite_id}.")


@invites.command()
@click.argument("token", required=False)
@pass_session
def accept(session: Session, token: str | None) -> None:
    """Accept an invitation by its link, or by the token after /invite/ in the link.

    Without TOKEN, the command prompts for it or reads it from stdin. This keeps it out of the shell's history.
    """
    if token is None:
        token = _asked("The invitation's link or token")
    given = token.strip().rstrip("/").rpartition("/")[2]
    try:
        answer = session.api().post("invites", "accept", body={"token": given})
    except Refusal as refusal:
        if refusal.code == "invite_not_found":
            # `invites list` shows those of the current organization, not of the one that sent the invitation.
            refusal.hint = (
                "Copy the whole link from the mail, and log in with the invited address. "
                "`helpdesk whoami` shows yours."
            )
        raise
    session.done(
        answer,
        f"Joined {answer['organizationId']}. `helpdesk whoami` shows which organization you act in.",
    )


def _asked(what: str) -> str:
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    text = sys.stdin.readline().strip()
    if not text:
        raise click.UsageError(f"{what} is missing. Pass it as an argument or on stdin.")
    note("Read from stdin.")
    return text
