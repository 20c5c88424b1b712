"""How GitHub shows users, repositories, commits, issues, pull requests and installations, with all that it always has.

A test compares them with GitHub's own description.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from scripts.app_manifests import GITHUB_EVENTS, GITHUB_PERMISSIONS

API: Final = "https://api.github.com"
WEB: Final = "https://github.com"
_SINCE = "2020-01-01T00:00:00Z"
_OF_USER = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_OF_REPOSITORY = {
    "archive": "/{archive_format}{/ref}",
    "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}",
    "contributors": "/contributors",
    "deployments": "/deployments",
    "downloads": "/downloads",
    "events": "/events",
    "forks": "/forks",
    "git_commits": "/git/commits{/sha}",
    "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}",
    "keys": "/keys{/key_id}",
    "labels": "/labels{/name}",
    "languages": "/languages",
    "merges": "/merges",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}",
    "releases": "/releases{/id}",
    "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "tags": "/tags",
    "teams": "/teams",
    "trees": "/git/trees{/sha}",
}
_COUNTS = (
    *("forks", "forks_count", "open_issues", "open_issues_count"),
    *("size", "stargazers_count", "watchers", "watchers_count"),
)
_REACTIONS = ("+1", "-1", "confused", "eyes", "heart", "hooray", "laugh", "rocket", "total_count")


def iso(at: float) -> str:
    """Return a time in seconds as GitHub shows it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user(login: str, number: int, kind: str = "") -> dict[str, Any]:
    """Return an account: a person's, an organization's or an App's."""
    url = f"{API}/users/{quote(login)}"
    page = f"apps/{login.removesuffix('[bot]')}" if login.endswith("[bot]") else login
    return {
        "login": login,
        "id": number,
        "node_id": f"U_{number}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{WEB}/{page}",
        **{name: f"{url}{path}" for name, path in _OF_USER.items()},
        "type": kind or ("Bot" if login.endswith("[bot]") else "User"),
        "site_admin": False,
    }


def person(login: str, number: int) -> dict[str, Any]:
    """Return a person as they are shown to themselves."""
    unsaid = ("bio", "blog", "company", "email", "hireable", "location", "name")
    counts = ("followers", "following", "public_gists", "public_repos")
    return {
        **user(login, number),
        **dict.fromkeys(unsaid),
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(("created_at", "updated_at"), _SINCE),
    }


def membership(login: str, number: int, of: int, role: str) -> dict[str, Any]:
    """Return which role a person has in an organization."""
    url = f"{API}/orgs/{login}"
    return {
        "url": f"{url}/memberships/mona",
        "state": "active",
        "role": role,
        "organization_url": url,
        "organization": organization(login, number),
        "user": user("mona", of),
    }


def organization(login: str, number: int) -> dict[str, Any]:
    """Return an organization that an account is."""
    url = f"{API}/orgs/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": f"O_{number}",
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4",
        "description": None,
    }


def repository(
    full_name: str,
    number: int,
    owner: Mapping[str, Any],
    *,
    default_branch: str,
    private: bool,
    archived: bool,
    has_issues: bool,
) -> dict[str, Any]:
    """Return a repository as events have it."""
    url, page = f"{API}/repos/{full_name}", f"{WEB}/{full_name}"
    return {
        "id": number,
        "node_id": f"R_{number}",
        "name": full_name.partition("/")[2],
        "full_name": full_name,
        "private": private,
        "owner": owner,
        "html_url": page,
        "description": None,
        "fork": False,
        "url": url,
        **{f"{name}_url": f"{url}{path}" for name, path in _OF_REPOSITORY.items()},
        "created_at": _SINCE,
        "updated_at": _SINCE,
        "pushed_at": _SINCE,
        "git_url": f"git://github.com/{full_name}.git",
        "ssh_url": f"git@github.com:{full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        **dict.fromkeys(_COUNTS, 0),
        **dict.fromkeys(("has_projects", "has_downloads", "has_wiki"), True),
        **dict.fromkeys(("has_pages", "has_discussions", "disabled"), False),
        "archived": archived,
        "has_issues": has_issues,
        "topics": [],
        "visibility": "private" if private else "public",
        "default_branch": default_branch,
    }


def branch(full_name: str, name: str, sha: str, author: Mapping[str, Any]) -> dict[str, Any]:
    """Return a branch with its commit."""
    url, page = f"{API}/repos/{full_name}", f"{WEB}/{full_name}"
    signed = {"name": author["login"], "email": f"{author['login']}@example.com", "date": _SINCE}
    return {
        "name": name,
        "commit": {
            "sha": sha,
            "node_id": f"C_{sha}",
            "url": f"{url}/commits/{sha}",
            "html_url": f"{page}/commit/{sha}",
            "comments_url": f"{url}/commits/{sha}/comments",
            "commit": {
                "author": signed,
                "committer": signed,
                "message": "A commit",
                "tree": {"sha": sha, "url": f"{url}/git/trees/{sha}"},
                "url": f"{url}/git/commits/{sha}",
                "comment_count": 0,
            },
            "author": author,
            "committer": author,
            "parents": [],
        },
        "_links": {"self": f"{url}/branches/{name}", "html": f"{page}/tree/{name}"},
        "protected": False,
        "protection": {},
        "protection_url": f"{url}/branches/{name}/protection",
    }


TEAM = frozenset({"mona", "ada"})
"""The logins of people who work on the repositories."""


def account(login: str) -> dict[str, Any]:
    """Return an account by its login: the App's, a member's, or anybody's."""
    numbers = {"mona": 6, "ada": 8}
    return user(login, 5 if login.endswith("[bot]") else numbers.get(login, 9))


def association(login: str) -> str:
    """Return how somebody is associated with the repositories. GitHub says NONE of Apps."""
    return "MEMBER" if login in TEAM else "NONE"


def issue(full_name: str, number: int, title: str, body: str | None, login: str, at: float) -> dict[str, Any]:
    """Return an issue that was opened in somebody's name, at a time in seconds."""
    url = f"{API}/repos/{full_name}/issues/{number}"
    return {
        "url": url,
        "repository_url": f"{API}/repos/{full_name}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{WEB}/{full_name}/issues/{number}",
        "id": 70_000 + number,
        "node_id": f"I_{number}",
        "number": number,
        "title": title,
        "user": account(login),
        "labels": [],
        "state": "open",
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": 0,
        "created_at": iso(at),
        "updated_at": iso(at),
        "closed_at": None,
        "closed_by": None,
        "author_association": association(login),
        "active_lock_reason": None,
        "body": body,
        "reactions": {**dict.fromkeys(_REACTIONS, 0), "url": f"{url}/reactions"},
        "state_reason": None,
    }


def listed_issue(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return an issue as lists and events show it: without who closed it."""
    return {name: value for name, value in shown.items() if name != "closed_by"}


def pull_request(
    of: Mapping[str, Any], number: int, title: str, login: str, at: str, *, merged: bool, fork: bool
) -> dict[str, Any]:
    """Return a pull request of a repository, which is open or merged; the branch is the repository's or a fork's."""
    author = account(login)
    url, page = f"{of['url']}/pulls/{number}", f"{of['html_url']}/pull/{number}"
    issue_url, sha = f"{of['url']}/issues/{number}", f"{number:040x}"
    links = {
        "self": url,
        "html": page,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{of['url']}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{of['url']}/statuses/{sha}",
    }
    names = ("comments", "review_comments", "review_comment", "commits", "statuses", "issue")
    sides = {
        side: {
            "label": f"{of['owner']['login']}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": of["owner"],
            "repo": of,
        }
        for side, ref in (("head", "change"), ("base", of["default_branch"]))
    }
    if fork:
        sides["head"] |= {
            "user": author,
            "repo": {**of, "id": of["id"] + 1_000, "owner": author, "fork": True},
        }
    ended = at if merged else None
    return {
        "url": url,
        "id": 80_000 + number,
        "node_id": f"PR_{number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **{f"{name}_url": links[name] for name in names},
        "number": number,
        "state": "closed" if merged else "open",
        "locked": False,
        "title": title,
        "user": author,
        "body": None,
        **dict.fromkeys(("created_at", "updated_at"), at),
        **dict.fromkeys(("closed_at", "merged_at"), ended),
        "merge_commit_sha": sha if merged else None,
        "assignee": None,
        "assignees": [],
        "labels": [],
        "milestone": None,
        **sides,
        "_links": {name: {"href": link} for name, link in links.items()},
        "author_association": association(login),
        "auto_merge": None,
        "merged": merged,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged_by": author if merged else None,
        "maintainer_can_modify": False,
        **dict.fromkeys(("comments", "review_comments"), 0),
        **dict.fromkeys(("commits", "additions", "deletions", "changed_files"), 1),
    }


def installation(number: int, account: Mapping[str, Any], slug: str, *, suspended: bool) -> dict[str, Any]:
    """Return an installation of the App on an account."""
    return {
        "id": number,
        "account": account,
        "repository_selection": "selected",
        "access_tokens_url": f"{API}/app/installations/{number}/access_tokens",
        "repositories_url": f"{API}/installation/repositories",
        "html_url": f"{WEB}/organizations/{account['login']}/settings/installations/{number}",
        "app_id": 4711,
        "app_slug": slug,
        "target_id": account["id"],
        "target_type": account["type"],
        "permissions": dict(GITHUB_PERMISSIONS),
        "events": list(GITHUB_EVENTS),
        "created_at": _SINCE,
        "updated_at": _SINCE,
        "single_file_name": None,
        "suspended_by": account if suspended else None,
        "suspended_at": _SINCE if suspended else None,
    }


def app(slug: str, name: str, owner: Mapping[str, Any], url: str) -> dict[str, Any]:
    """Return an App, as its registration gives it."""
    return {
        "id": 4711,
        "slug": slug,
        "node_id": "A_4711",
        "owner": owner,
        "name": name,
        "description": None,
        "external_url": url,
        "html_url": f"{WEB}/apps/{slug}",
        "created_at": _SINCE,
        "updated_at": _SINCE,
        "permissions": dict(GITHUB_PERMISSIONS),
        "events": list(GITHUB_EVENTS),
    }
