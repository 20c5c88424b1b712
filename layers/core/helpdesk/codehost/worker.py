"""Does the work of the code host: tokens of installations, what GitHub sent, and syncs of mirrors."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from helpdesk.admission.caller import Caller, Person
from helpdesk.codehost import (
    account_lookup,
    app_identity,
    issue_links,
    issue_looks,
    issue_moves,
    issue_renames,
    issue_requests,
    issue_settings,
    issues,
    mirror_repository,
    mirroring,
    mirrors,
    people,
    receiver,
    renaming,
)
from helpdesk.codehost.github import NotThere
from helpdesk.integrations import accounts, credentials, jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Worker
from helpdesk.integrations.apps import App
from helpdesk.integrations.client import Unauthorized
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked, TryLater, UnknownJob
from helpdesk.integrations.record import AppCredentials, Connection, ConnectionStatus, Tokens
from helpdesk.progress import reports
from helpdesk.progress.errors import MAX_BRANCH_CHARACTERS
from helpdesk.progress.schemas import CommitsReport
from helpdesk.storage.transactions import Transaction

HOSTS = app_identity.HOSTS


def renew(app: AppCredentials, connection: Connection, _tokens: Tokens) -> Tokens:
    """Return a new token of the installation. Raises Revoked, TryLater, Unauthorized."""
    return app_identity.installation_tokens(app, connection.account_id)


def headers(tokens: Tokens) -> Mapping[str, str]:
    """Return the headers that every request in the installation's name has."""
    return {"authorization": f"Bearer {tokens.values[app_identity.TOKEN]}", **app_identity.VERSION_HEADERS}


def take_hook(connection: Connection, event: str, data: Mapping[str, Any], _until: int) -> str:
    """Do what an event of GitHub asks for."""
    match event:
        case receiver.REMOVED:
            return _removed(connection)
        case receiver.LOOK_AGAIN:
            return connected(connection)
        case receiver.REPO_RENAMED | receiver.ACCOUNT_RENAMED:
            return _renamed(connection, data)
        case receiver.ISSUE:
            return issue_moves.take_change(connection.organization, data, _this())
        case receiver.ISSUE_GONE:
            return issue_moves.take_removal(connection.organization, data)
    return _worked_on(connection, event, data)


def _worked_on(connection: Connection, event: str, data: Mapping[str, Any]) -> str:
    """Take commits and pull requests."""
    if event == receiver.PUSH:
        return _pushed(connection, data)
    if event == receiver.PULL_REQUEST:
        if not _is_of_team(connection, data):
            return "of_the_public"
        report = {"repo": data["repo"], "pullRequests": [_pull_request(data)]}
        return _report(connection, report, data["updatedAt"])
    return "nothing"


def _is_of_team(connection: Connection, data: Mapping[str, Any]) -> bool:
    """Return whether a pull request is the team's: by its merge, its branch in the repository, or its author.

    Anybody may open a pull request from a fork, and change its title later.
    """
    if (
        data["isMerging"]
        or not data["isFromFork"]
        or not reports.names_a_card(connection.organization, data["title"])
    ):
        return True
    account = accounts.opened(connection, _this())
    return people.works_on(account, data["repo"], data["author"], data["association"])


def _removed(connection: Connection) -> str:
    """Break a connection whose App was uninstalled or suspended, unless it is back: what GitHub sends may come late."""
    app = credentials.of(App.CODEHOST)
    if app is None:
        raise TryLater("no credentials of the app")
    try:
        app_identity.installation_tokens(app, connection.account_id)
    except Unauthorized:
        raise TryLater("GitHub does not accept the App's key") from None
    except Revoked as problem:
        integrations.broke(connection, str(problem))
        return "broken"
    return "late"


def work(job: IntegrationJob, until: int) -> str:
    """Do a job of the code host until an instant (ms)."""
    organization = job.organization or ""
    if job.kind == mirror_repository.SYNC:
        data = job.data
        return mirroring.sync(
            organization, data["repo"], data["mirrorId"], data["jobId"], _this(), until, tries=job.tries
        )
    if job.kind == issue_renames.RENAME:
        return _issues_renamed(organization, job.data, until)
    if job.kind == issue_requests.LINK:
        return issue_links.link(organization, job.data, _this())
    if job.kind == issue_settings.CHECK:
        return _issues_checked(organization)
    if job.kind == mirror_repository.REMOVE:
        if mirroring.remove(organization, job.data["mirrorId"], until):
            return "removed"
        transaction = Transaction()
        jobs.put(transaction, mirror_repository.removal_job(organization, job.data["mirrorId"]))
        transaction.commit()
        return "handed_on"
    raise UnknownJob(job.kind)


def _issues_checked(organization: str) -> str:
    try:
        return issue_looks.check(organization, _this())
    except Revoked as problem:
        return _broke(organization, problem)


def _broke(organization: str, problem: Revoked) -> str:
    """Break the connection to the account whose repository has the issues."""
    chosen = issue_settings.settings(organization).repo
    connection = None if chosen is None else account_lookup.owner_of(organization, chosen)
    if connection is not None:
        integrations.broke(connection, str(problem))
    return "broken"


def _this() -> Worker:
    return cast("Worker", sys.modules[__name__])


def signal_changed(organization: str, signal_id: str, filed: bool) -> str:  # noqa: FBT001 - the protocol's
    """Open the issue of a signal that was filed, or bring the issue in line with its signal."""
    try:
        return issues.follow(organization, signal_id, _this(), filed=filed)
    except NotConnectedNow:
        return "not_connected"
    except Revoked as problem:
        return _broke(organization, problem)


def connected(connection: Connection) -> str:
    """Look again at the account's name, its repositories that are mirrored, and the issues of signals."""
    if connection.status is ConnectionStatus.BROKEN:
        accounts.opened(connection, _this(), renew=True)  # it may be mended, with nothing to ask for
    connection = connection.__replace__(account=renaming.look_at_account(connection))
    found = mirrors.to_look_at(connection.organization, connection.account)
    mirrors.look_again(connection.organization, [each.repo for each in found])
    return f"{len(found)} to sync, {issue_looks.look(connection, _this())} issues out of line"


def removed(_app: AppCredentials | None, _connection: Connection, _tokens: Tokens | None) -> None:
    """Leave the App installed: its owner removes it at GitHub, and another organization may be connected to it."""


def _pushed(connection: Connection, data: Mapping[str, Any]) -> str:
    found = mirrors.of_push(
        connection.organization, connection.account, data["repo"], data["branch"], default=data["default"]
    )
    mirrors.look_again(connection.organization, [each.repo for each in found])
    report = {name: data[name] for name in ("repo", "default", "commits")}
    report["branch"] = data["branch"][:MAX_BRANCH_CHARACTERS]
    if not data["commits"] or data["deleted"]:
        return "looked"
    offered = issue_links.offer(connection.organization, data["repo"], data["commits"])
    return f"{_report(connection, report, data['pushedAt'])}, offered {offered}"


def _renamed(connection: Connection, data: Mapping[str, Any]) -> str:
    """Follow a new name within connected accounts. The mirror of a repository that left them says so as it looks.

    GitHub is asked for the name. The one in the hook may be a former one by now: a hook can come late, or again.
    """
    before = data.get("from")
    if before is None:
        return "renamed" if renaming.look_at_account(connection) != connection.account else "known"
    try:
        now = renaming.name_of(connection.organization, data["id"], _this())
    except NotThere:
        now = data["to"]
    if account_lookup.owner_of(connection.organization, now) is None:
        mirrors.look_again(connection.organization, [before])
        return "left"
    return (
        "renamed" if renaming.follow(connection.organization, before, now, data["id"]) else "mirrored_before"
    )


def _issues_renamed(organization: str, data: Mapping[str, Any], until: int) -> str:
    """Rename issues, and look at them at last: hooks under the new name found none before."""
    done = issue_renames.work(organization, data, until)
    connection = account_lookup.owner_of(organization, data["to"])
    if done == issue_renames.DONE and connection is not None:
        with suppress(Revoked, NotConnectedNow):
            issue_looks.look(connection, _this())
    return done


def _pull_request(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("number", "title", "url", "state")}


def _report(connection: Connection, report: dict[str, Any], at: int | None) -> str:
    """Hand commits and pull requests to the cards that they name, as what happened at an instant (ms)."""
    speaker = Person(id="", name="GitHub", role=None)
    caller = Caller(organization=connection.organization, person=speaker)
    done = reports.report(caller, CommitsReport.model_validate({**report, "at": at}))
    return f"{len(done.tasks)} cards"
