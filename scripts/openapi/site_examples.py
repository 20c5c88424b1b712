"""Examples of the help site's routes: bodies and responses by operation."""

from typing import Any

BODIES: dict[str, Any] = {"updateSite": {"enabled": True, "title": "Acme help", "intro": "How can we help?"}}

_SITE = {
    "enabled": True,
    "url": "https://support.example.com/site/acme/",
    "title": "Acme help",
    "intro": "How can we help?",
    "logoUrl": "https://acme.example.com/logo.png",
    "language": "en",
    "showBoard": False,
    "showContact": True,
    "footerLinks": [{"label": "Privacy", "url": "https://acme.example.com/privacy"}],
}

ANSWERS: dict[str, Any] = {"getSite": _SITE, "updateSite": _SITE}
