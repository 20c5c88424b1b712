"""Examples of the help site's routes: bodies and responses by operation."""

from typing import Any

from scripts.openapi.account_examples import AT

BODIES: dict[str, Any] = {
    "updateSite": {"enabled": True, "title": "Acme help", "intro": "How can we help?"},
    "updateAppearance": {"scheme": "light", "navigation": "top", "accent": "#0a7c66"},
    "updateSignIn": {
        "method": "oidc",
        "oidc": {"issuer": "https://login.acme.example.com", "clientId": "help-site", "clientSecret": "…"},
    },
}

_SITE = {
    "enabled": True,
    "url": "https://support.example.com/site/acme/",
    "title": "Acme help",
    "intro": "How can we help?",
    "logoUrl": "https://acme.example.com/logo.png",
    "language": "en",
    "showBoard": False,
    "showContact": True,
    "votesNeedSignIn": False,
    "footerLinks": [{"label": "Privacy", "url": "https://acme.example.com/privacy"}],
    "widgetOrigins": ["https://acme.example.com"],
}

_APPEARANCE = {
    "theme": "paper",
    "scheme": "light",
    "navigation": "top",
    "accent": "#0a7c66",
    "css": ":root { --radius: 0 }",
}

_SIGN_IN = {
    "method": "oidc",
    "appUrl": None,
    "oidc": {"issuer": "https://login.acme.example.com", "clientId": "help-site", "secretHint": "x7Qa"},
    "oidcRedirectUri": "https://support.example.com/site/acme/sign-in/callback",
    "problem": None,
}

ANSWERS: dict[str, Any] = {
    "getSite": _SITE,
    "updateSite": _SITE,
    "listSiteArticles": {
        "articles": [
            {
                "documentId": "doc_01jd3m2w7c9k5x8r4t6v1z3y0b",
                "title": "Webhook signatures",
                "url": "https://support.example.com/site/acme/articles/webhook-signatures",
                "reads": 1208,
                "helpful": 31,
                "unhelpful": 2,
                "answered": 17,
            }
        ],
        "nextCursor": None,
    },
    "listSiteSearches": {
        "searches": [{"query": "gift wrapping", "count": 14, "lastAt": AT}],
        "nextCursor": None,
    },
    "getAppearance": _APPEARANCE,
    "updateAppearance": _APPEARANCE,
    "getSignIn": _SIGN_IN,
    "updateSignIn": _SIGN_IN,
}
