"""The base URL of a service: its address up to /v1."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import click


def normalized(text: str) -> str:
    """Return a base URL in its normal form, under which its login is stored.

    Raises click.UsageError for an invalid address, and for plain HTTP to another machine, which would expose tokens.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise click.UsageError(f"{text!r} is not a valid address.") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise click.UsageError(
            f"{text!r} is not a valid address. Use https://… or, on this machine, http://127.0.0.1:…"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise click.UsageError("A base URL cannot have a user name, a query or a fragment.")
    if parts.scheme == "http" and not is_loopback(host):
        raise click.UsageError(f"http://{host} would send your login unencrypted. Use https://{host}")
    named = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[parts.scheme]
    authority = named if port in {None, default} else f"{named}:{port}"
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return f"{parts.scheme}://{authority}{path}"


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
