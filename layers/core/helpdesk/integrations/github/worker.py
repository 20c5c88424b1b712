"""Does the work of GitHub: what GitHub sends, syncs of mirrors, and issues of signals."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from helpdesk.api.admission.caller import Caller, Person
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import credentials
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Adapter
from helpdesk.integrations.client import Unauthorized
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater, UnknownJob
from helpdesk.integrations.github import (
    account_lookup,
    api,
    app_identity,
    issue_links,
    issue_looks,
    issue_settings,
    issues,
    mirror_store,
    mirroring,
    mirrors,
    receiver,
    renaming,
    status_sync,
)
from helpdesk.integrations.github.api import NotThere
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.progress import reports
from helpdesk.progress.errors import MAX_BRANCH_CHARACTERS
from helpdesk.progress.schemas import CommitsReport


class GitHubAdapter(Adapter):
    """The adapter of GitHub, of which an organization may connect several accounts.

    The App stays installed after a connection was removed: its owner removes it at GitHub, and another organization may
    be connected to it.
    """

    app = App.GITHUB

    def handle_webhook(self, connection: Connection, event: str, data: Mapping[str, Any]) -> str:
        """Handle an event of GitHub."""
        match event:
            case receiver.REMOVED:
                return _handle_removal(connection)
            case receiver.LOOK_AGAIN:
                return self.on_connect(connection)
            case receiver.REPO_RENAMED | receiver.ACCOUNT_RENAMED:
                return _handle_rename(connection, data)
            case receiver.ISSUE:
                return status_sync.handle_change(connection.organization, data)
            case receiver.ISSUE_GONE:
                return status_sync.handle_removal(connection.organization, data)
        return _handle_commits(connection, event, data)

    def on_connect(self, connection: Connection) -> str:
        """Check the account's name, its repositories that are mirrored, and the issues of signals."""
        if connection.status is ConnectionStatus.BROKEN:
            GITHUB.open(connection, renew=True)  # it may work again, with nothing to ask for
        connection = connection.__replace__(account=renaming.look_at_account(connection))
        found = mirrors.to_look_at(connection.organization, connection.account)
        mirrors.look_again(connection.organization, [each.repo for each in found])
        return f"{len(found)} to sync, {issue_looks.look(connection)} issues out of line"

    def on_signal(self, organization: str, signal_id: str, *, filed: bool) -> str:
        """Open the issue of a signal that was filed, or bring the issue in line with its signal."""
        try:
            return issues.follow(organization, signal_id, filed=filed)
        except Revoked as problem:
            return _mark_issues_broken(organization, problem)

    def run(self, job: IntegrationJob, until: int) -> str:
        """Run a job about mirrors or issues. Each finds the connection that has its repository."""
        if job.kind not in _JOBS:
            raise UnknownJob(job.kind)
        return _JOBS[job.kind](job.organization or "", job, until)


def _handle_commits(connection: Connection, event: str, data: Mapping[str, Any]) -> str:
    """Handle a push or a pull request."""
    if event == receiver.PUSH:
        return _handle_push(connection, data)
    if event == receiver.PULL_REQUEST:
        if not _is_of_team(connection, data):
            return "of_the_public"
        pull_request = {name: data[name] for name in ("number", "title", "url", "state")}
        report = {"repo": data["repo"], "pullRequests": [pull_request]}
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
    return api.works_on(GITHUB.open(connection), data["repo"], data["author"], data["association"])


def _handle_removal(connection: Connection) -> str:
    """Break a connection whose App was uninstalled or suspended, unless it is back: a webhook may come late."""
    app = credentials.of(App.GITHUB)
    if app is None:
        raise TryLater("no credentials of the app")
    try:
        app_identity.installation_tokens(app, connection.account_id)
    except Unauthorized:
        raise TryLater("GitHub does not accept the App's key") from None
    except Revoked as problem:
        return integrations.mark_broken(connection, problem)
    return "late"


def _mark_issues_broken(organization: str, problem: Revoked) -> str:
    """Break the connection to the account whose repository has the issues."""
    chosen = issue_settings.SETTINGS.get(organization).repo
    connection = None if chosen is None else account_lookup.owner_of(organization, chosen)
    return "broken" if connection is None else integrations.mark_broken(connection, problem)


def _handle_push(connection: Connection, data: Mapping[str, Any]) -> str:
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


def _handle_rename(connection: Connection, data: Mapping[str, Any]) -> str:
    """Follow a new name within connected accounts. The sync of a repository that left them reports that.

    GitHub is asked for the name. The one in the webhook may be a former one by now: a webhook can come late, or again.
    """
    before = data.get("from")
    if before is None:
        return "renamed" if renaming.look_at_account(connection) != connection.account else "known"
    try:
        now = renaming.name_of(connection.organization, data["id"])
    except NotThere:
        now = data["to"]
    if account_lookup.owner_of(connection.organization, now) is None:
        mirrors.look_again(connection.organization, [before])
        return "left"
    return (
        "renamed" if renaming.follow(connection.organization, before, now, data["id"]) else "mirrored_before"
    )


def _report(connection: Connection, report: dict[str, Any], at: int | None) -> str:
    """Report commits and pull requests to the cards that they name, as what happened at an instant (ms)."""
    speaker = Person(id="", name="GitHub", role=None)
    caller = Caller(organization=connection.organization, person=speaker)
    done = reports.report(caller, CommitsReport.model_validate({**report, "at": at}))
    return f"{len(done.tasks)} cards"


def _sync(organization: str, job: IntegrationJob, until: int) -> str:
    data = job.data
    return mirroring.sync(organization, data["repo"], data["mirrorId"], data["jobId"], until, tries=job.tries)


def _remove_mirror(organization: str, job: IntegrationJob, until: int) -> str:
    if mirroring.remove(organization, job.data["mirrorId"], until):
        return "removed"
    jobs.enqueue(mirror_store.removal_job(organization, job.data["mirrorId"]))
    return "handed_on"


def _rename_issues(organization: str, job: IntegrationJob, until: int) -> str:
    """Rename issues, and check them at the end: webhooks under the new name found none before."""
    done = renaming.rename_issues(organization, job.data, until)
    connection = account_lookup.owner_of(organization, job.data["to"])
    if done == renaming.ISSUES_RENAMED and connection is not None:
        with suppress(Revoked, NotConnectedNow):
            issue_looks.look(connection)
    return done


def _link_issue(organization: str, job: IntegrationJob, _until: int) -> str:
    return issue_links.link(organization, job.data)


def _check_issue_repo(organization: str, _job: IntegrationJob, _until: int) -> str:
    try:
        return issue_looks.check(organization)
    except Revoked as problem:
        return _mark_issues_broken(organization, problem)


_JOBS = {
    mirror_store.SYNC: _sync,
    mirror_store.REMOVE: _remove_mirror,
    renaming.RENAME_ISSUES: _rename_issues,
    issue_settings.LINK: _link_issue,
    issue_settings.CHECK: _check_issue_repo,
}
