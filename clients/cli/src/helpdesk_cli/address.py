"""The address of a service: what stands before /v1."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import click


def normalized(text: str) -> str:
    """Return the one way to write a base URL, under which its login is stored.

    Raises click.UsageError for what is no address, and for plain HTTP to another machine: tokens would be readable on
    the way.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise click.UsageError(f"{text!r} is not an address.") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise click.UsageError(
            f"{text!r} is not an address. Write https://… or, on this machine, http://127.0.0.1:…"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise click.UsageError("A base URL has no user name, no query and no fragment in it.")
    if parts.scheme == "http" and not is_loopback(host):
        raise click.UsageError(f"http://{host} would send your login unencrypted. Write https://{host}")
    named = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[parts.scheme]
    authority = named if port in {None, default} else f"{named}:{port}"
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return f"{parts.scheme}://{authority}{path}"


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
