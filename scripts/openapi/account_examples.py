"""Realistic examples for people, organizations, invitations and keys: bodies and responses by operation."""

from typing import Any

from helpdesk.platform.units import DAY_MS

AT = 1763683199500
KEY = "key_01jd3g1a4d7f0h3k6n9r2v5y8c"
_INVITE = "inv_01jd3t0v3y7j1m4p8r2u5x9a6c"
_INVITE_PATH = "/v1/invite/Zr8Wm3KcT1yQf6HbN0dLxP5sVu2GjA9eRo7CiMwXqYk"
USER = "usr_01jd3f1a4d7f0h3k6n9r2v5y8c"
TEAM = "team_01jd3f4b7d0f3h6k9n2q5t8w1y"
_TEAM = {"id": TEAM, "name": "Billing", "memberIds": [USER]}
_MINE = {
    "id": "org_01jd3f0z3c6e9g2j5m8q1t4w7x",
    "name": "Example Shop",
    "slug": "example-shop",
    "role": "owner",
}
_ME = {
    "user": {"id": USER, "name": "Ada Lovelace", "email": "ada@example.com"},
    "organization": _MINE,
    "organizations": [_MINE],
}
_ORGANIZATION = {
    "id": _MINE["id"],
    "name": "Example Shop",
    "slug": "example-shop",
    "plan": "pro",
    "tier": "higher",
    "showBranding": False,
    "taskKeyPrefix": "SHOP",
    "boardUrl": "https://shop.example.com/board",
    "supportEmail": "help@shop.example.com",
    "pendingSupportEmail": "support@shop.example.com",
    "retentionDays": 730,
    "mailAddress": "shop@in.example.com",
    "unreadMailMinutes": 5,
    "publishableKey": "svc_pk_01jd3f0z3c6e9g2j5m8q1t4w7x_9HaUe1TiB6oSnx7Qp4Nd8sLq0vKf2ZtYw7RbXc5GmPj",
    "createdAt": AT,
}
_LONG_DAY = [{"from": "09:00", "to": "12:30"}, {"from": "13:30", "to": "17:00"}]
_HOURS = {
    "timeZone": "Europe/Berlin",
    "days": {
        **dict.fromkeys(("monday", "tuesday", "wednesday", "thursday"), _LONG_DAY),
        "friday": [{"from": "09:00", "to": "15:00"}],
        "saturday": [],
        "sunday": [],
    },
    "closed": ["2026-12-25", "2027-01-01"],
}
_TARGETS = {"firstResponseMinutes": 60, "nextResponseMinutes": 240}
_OK = {"ok": True}
_NOTIFICATIONS = {"mail": ["assigned", "reply"]}
_GRANT = {
    "id": "grant_01jd3t5a8c0e3g6j9m2p5s8v1x",
    "clientId": "client_01jd3t4z7b9d2f5h8k1n4q7t0w",
    "clientName": "Helpdesk command line",
    "scopes": ["api", "manage"],
    "createdAt": AT,
    "refreshedAt": AT + DAY_MS,
    "validUntil": AT + 31 * DAY_MS,
}

BODIES: dict[str, Any] = {
    "updateMe": {"name": "Ada Lovelace"},
    "changeMyNotifications": {"mail": ["assigned", "reply"]},
    "setMyOrganization": {"organizationId": _MINE["id"]},
    "createOrganization": {"name": "Example Shop", "slug": "example-shop"},
    "updateOrganization": {"taskKeyPrefix": "SHOP", "supportEmail": "support@shop.example.com"},
    "updateOfficeHours": {
        "days": {"friday": [{"from": "09:00", "to": "15:00"}]},
        "closed": ["2026-12-25", "2027-01-01"],
    },
    "updateTargets": _TARGETS,
    "updateMember": {"role": "admin"},
    "setBranding": {"showBranding": False},
    "createTeam": {"name": "Billing", "memberIds": [USER]},
    "updateTeam": {"memberIds": [USER]},
    "createInvite": {"email": "grace@example.com", "role": "admin"},
    "acceptInvite": {"token": _INVITE_PATH.removeprefix("/v1/invite/")},
    "createKey": {"name": "Shop server"},
}

ANSWERS: dict[str, Any] = {
    "listKeys": {
        "keys": [
            {
                "id": KEY,
                "name": "Shop server",
                "hint": "x7Qp",
                "createdAt": AT,
                "createdBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
                "createdByName": "Ada Lovelace",
                "lastUsedAt": AT + 2_300,
                "revokedAt": None,
                "legacy": False,
            }
        ],
        "nextCursor": None,
    },
    "getMe": _ME,
    "updateMe": _ME,
    "setMyOrganization": _OK,
    "getMyNotifications": _NOTIFICATIONS,
    "changeMyNotifications": _NOTIFICATIONS,
    "leaveOrganization": _OK,
    "createOrganization": {"id": _MINE["id"], "slug": "example-shop"},
    "getOrganization": _ORGANIZATION,
    "updateOrganization": _ORGANIZATION,
    "getOfficeHours": _HOURS,
    "updateOfficeHours": _HOURS,
    "getTargets": _TARGETS,
    "updateTargets": _TARGETS,
    "listMembers": {
        "members": [
            {
                "userId": USER,
                "name": "Ada Lovelace",
                "email": "ada@example.com",
                "role": "owner",
                "joinedAt": AT,
            }
        ],
        "nextCursor": None,
    },
    "listTeams": {"teams": [_TEAM]},
    "createTeam": _TEAM,
    "updateTeam": _TEAM,
    "deleteTeam": _OK,
    "listMyGrants": {
        "grants": [
            {
                **_GRANT,
                "organizationId": _MINE["id"],
                "organizationName": "Example Shop",
                "current": True,
            }
        ]
    },
    "endMyGrant": _OK,
    "listGrants": {
        "grants": [{**_GRANT, "userId": USER, "userName": "Ada Lovelace"}],
        "nextCursor": None,
    },
    "endGrant": _OK,
    "updateMember": _OK,
    "removeMember": _OK,
    "setBranding": _OK,
    "createInvite": {"id": _INVITE, "path": _INVITE_PATH},
    "listInvites": {
        "invites": [
            {
                "id": _INVITE,
                "email": "grace@example.com",
                "role": "admin",
                "invitedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
                "invitedByName": "Ada Lovelace",
                "senderMayInvite": True,
                "createdAt": AT,
                "validUntil": AT + 7 * DAY_MS,
            }
        ],
        "nextCursor": None,
    },
    "resendInvite": _OK,
    "withdrawInvite": _OK,
    "acceptInvite": {"organizationId": "org_01jd3f9z3c6e9g2j5m8q1t4w7y"},
    "createKey": {
        "id": KEY,
        "key": "svc_key_01jd3f0z3c6e9g2j5m8q1t4w7x_4Nd8sLq0vKf2ZtYw7RbXc5GmPj9HaUe1TiB6oSnx7Qp",
    },
    "revokeKey": _OK,
}

LIMITS: dict[str, Any] = {
    "tier": "standard",
    "version": "2026-11-20",
    "limits": {
        "read": {"perMinute": 6_000, "burst": 1_000},
        "write": {"perMinute": 1_200, "burst": 300},
        "upload": {"perMinute": 300, "burst": 100},
    },
    "knowledge": {
        "documents": {"used": 54, "limit": 2_000},
        "bytes": {"used": 412_377, "limit": 200_000_000},
        "suggestionsToday": {"used": 3, "limit": 20},
    },
    "model": {
        "tokens": {"used": 1_204_118, "limit": 25_000_000},
        "tokensToday": {"used": 61_220, "limit": 1_666_666},
    },
}
