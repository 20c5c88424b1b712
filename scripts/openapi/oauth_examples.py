"""Realistic examples for OAuth routes: bodies and responses by operation."""

from typing import Any

from helpdesk.accounts.oauth import metadata

_ISSUER = "https://support.example.com"
_CLIENT = "client_01jd3q7t0v4x8z2c6f9j3m5p7r"
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_PAGE = f"{_ISSUER}/v1/oauth/device"

BODIES: dict[str, Any] = {
    "registerClient": {
        "client_name": "Trier",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token", _DEVICE_GRANT],
    },
    "issueTokens": {
        "grant_type": "authorization_code",
        "client_id": _CLIENT,
        "code": "4vR7xKq2NfZ0bYcT8mWj5LsHdGp3AaEe9UuIi6OoXwB",
        "redirect_uri": "http://127.0.0.1:8123/callback",
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    },
    "authorizeDevice": {"client_id": _CLIENT},
    "revokeToken": {
        "client_id": _CLIENT,
        "token": "svc_ort_01jd3qb5x9c3f7h1k4n6r8t0v2_Vt5mKq8RzXw2NfLb7Yc1Hj4PdGs9Ta6Ue3IoQx0MkBv",
    },
}

ANSWERS: dict[str, Any] = {
    "registerClient": {
        "client_id": _CLIENT,
        "client_id_issued_at": 1763683199,
        "client_name": "Trier",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token", _DEVICE_GRANT],
        "response_types": ["code"],
        "scope": "api",
    },
    "issueTokens": {
        "access_token": "svc_oat_01jd3g1a4d7f0h3k6n9r2v5y8c_Nq2WxZ7RbKf0TcYv8MmJj5LsHdGp3AaEe9UuIi6OoXw",
        "token_type": "Bearer",
        "expires_in": 3600,
        "refresh_token": "svc_ort_01jd3qb5x9c3f7h1k4n6r8t0v2_Vt5mKq8RzXw2NfLb7Yc1Hj4PdGs9Ta6Ue3IoQx0MkBv",
        "scope": "api",
    },
    "revokeToken": {},
    "authorizeDevice": {
        "device_code": "GmRhmhcxhwAzkoEqiMEgDnyEysNkuNhszIySk9eS7Kd",
        "user_code": "WDJB-MJHT",
        "verification_uri": _PAGE,
        "verification_uri_complete": f"{_PAGE}?user_code=WDJB-MJHT",
        "expires_in": 600,
        "interval": 5,
    },
    "getAuthorizationServer": metadata.server(_ISSUER).model_dump(),
    "getOpenidConfiguration": metadata.server(_ISSUER).model_dump(),
    "getProtectedResource": metadata.resource(_ISSUER).model_dump(),
}
