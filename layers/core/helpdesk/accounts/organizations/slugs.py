"""Valid slugs of organizations."""

import re

from helpdesk.accounts.organizations.errors import MAX_SLUG_CHARACTERS, MIN_SLUG_CHARACTERS, InvalidSlug

_SLUG = re.compile(rf"(?=.{{{MIN_SLUG_CHARACTERS},{MAX_SLUG_CHARACTERS}}}\Z)[a-z0-9]+(-[a-z0-9]+)*")

RESERVED_SLUGS = frozenset(
    {
        "about",
        "account",
        "admin",
        "api",
        "app",
        "assets",
        "auth",
        "billing",
        "blog",
        "board",
        "cdn",
        "community",
        "contact",
        "dashboard",
        "dev",
        "docs",
        "help",
        "invite",
        "legal",
        "login",
        "logout",
        "mail",
        "new",
        "news",
        "oauth",
        "organization",
        "organizations",
        "pricing",
        "privacy",
        "public",
        "root",
        "security",
        "settings",
        "setup",
        "signin",
        "signup",
        "staging",
        "static",
        "status",
        "support",
        "system",
        "team",
        "terms",
        "test",
        "webhooks",
        "www",
    }
)


def is_slug(text: str) -> bool:
    """Return whether a text has the form of a slug."""
    return _SLUG.fullmatch(text) is not None


def require_slug(slug: str) -> None:
    """Raise InvalidSlug unless the text is a valid slug (Specification: Errors, invalid_slug)."""
    if not is_slug(slug) or slug in RESERVED_SLUGS:
        raise InvalidSlug
