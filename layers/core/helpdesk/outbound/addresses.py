"""The address guard of every request to a customer's URL: webhooks and tool endpoints.

It applies twice. At registration `require_public` refuses an invalid URL, with a message that says how to correct it.
At every connection the sender calls `parse` and `public_addresses` again, because a name's owner can change what it
resolves to, and connects only to the addresses returned.

The parser is strict where others are lenient. A check fails where two programs read one URL differently, so everything
that any program reads differently is refused: credentials, backslashes, control characters, percent-encoded or
non-ASCII hosts, numbers in place of dotted addresses (WHATWG URL Standard, "host parsing").

Specification: Endpoints, POST /webhooks and PUT /tool-endpoints.
"""

import ipaddress
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Final
from urllib.parse import urlsplit

from helpdesk.outbound import lookups
from helpdesk.outbound.errors import MAX_URL_CHARACTERS, InvalidUrl, RefusedAddress
from helpdesk.outbound.lookups import Resolver, resolve
from helpdesk.outbound.ranges import Address, is_loopback, refusal
from helpdesk.platform.record import Record

MAX_HOST_CHARACTERS = 253
RESOLVE_SECONDS = 2.0
"""How long registration waits for a name. One that takes longer is accepted, and checked at each delivery."""

_DEFAULT_PORTS: Final = {"https": 443, "http": 80}

# RFC 3986, sections 2.2 and 2.3, without the number sign: what may follow the scheme.
_URL_TEXT = re.compile(r"(?:[A-Za-z0-9._~:/?\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# The WHATWG standard reads a host whose last label is a number as an IPv4 address, in whatever spelling.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DOTTED_ADDRESS = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
_PORT = re.compile(r"[1-9][0-9]{0,4}")

# Names that resolve, if at all, to this machine or one in the local network. Names of a hosts file without a dot, such
# as localhost6, ip6-loopback and broadcasthost, need no entry: every name without a dot is refused.
_LOCAL_NAMES: Final = {
    "localhost": "RFC 6761",
    "localdomain": "a hosts file's name for this machine",
    "localdomain4": "a hosts file's name for this machine",
    "localdomain6": "a hosts file's name for this machine",
    "test": "RFC 6761",
    "invalid": "RFC 6761",
    "home": "kept out of the DNS by ICANN",
    "corp": "kept out of the DNS by ICANN",
    "lan": "RFC 6762, appendix G",
    "intranet": "RFC 6762, appendix G",
    "private": "RFC 6762, appendix G",
    "local": "RFC 6762",
    "internal": "reserved by ICANN for private networks",
    "home.arpa": "RFC 8375",
    "onion": "RFC 7686",
    "alt": "RFC 9476",
}


class Target(Record):
    """What a URL points to.

    host      in the form for a lookup: lower case, an IPv6 address without its brackets
    port      the URL's, or its scheme's
    address   the host if it is an address; None if it is a name
    loopback  whether this is a receiver on the same machine, which only the local stage allows
    """

    url: str
    scheme: str
    host: str
    port: int
    address: Address | None
    loopback: bool


def require_public(
    url: str,
    *,
    allow_loopback: bool = False,
    resolver: Resolver | None = None,
    timeout_seconds: float = RESOLVE_SECONDS,
    waiting: AbstractContextManager[None] | None = None,
) -> Target:
    """Check a URL at registration; return its target.

    url             as the caller sent it
    allow_loopback  also take http or https on localhost, 127.0.0.0/8 and [::1]; for the local stage
    resolver        what looks names up, if not the system
    timeout_seconds how long the name may take; one that does not resolve by then, or at all, is taken
    waiting         encloses the lookup of a name: what limits how many requests wait, and may refuse this one

    Raises InvalidUrl, whose message says what is wrong and how to put it right.
    """
    target = parse(url, allow_loopback=allow_loopback)
    if target.address is None and not target.loopback:
        with waiting or nullcontext():
            answers = _answers_within(timeout_seconds, resolver or resolve, target.host)
        public_addresses(target.host, answers)
    return target


def without_secrets(url: str) -> str:
    """Return a URL as a log shows it: without credentials, query and fragment, which can hold secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def parse(url: str, *, allow_loopback: bool = False) -> Target:
    """Parse a URL strictly; return its target. Makes no lookup.

    Raises InvalidUrl for a URL that is malformed, and RefusedAddress when its host is an address, or the name
    of one, that is not public.
    """
    scheme, rest = _split_scheme(url)
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    if "@" in authority:
        message = "Remove the user name and password from the URL: deliveries are signed and carry none."
        raise InvalidUrl(message)
    host, port_text = _split_authority(authority)
    address = _literal(host)
    if address is None:
        _require_name(host)
    loopback = host == "localhost" or (address is not None and is_loopback(address))
    if loopback and not allow_loopback:
        message = f"{host} is this machine itself. Use the URL of a server on the public internet."
        raise RefusedAddress(message)
    if scheme == "http" and not loopback:
        message = "Use https:// instead of http://."
        raise InvalidUrl(message)
    if not loopback:
        _require_public_host(host, address)
    return Target(url, scheme, host, _port(port_text, scheme), address, loopback)


def public_addresses(host: str, answers: Iterable[str]) -> list[Address]:
    """Return the addresses that `host` resolved to, each of them public.

    Raises RefusedAddress when a single one is not: a name with one public and one private address is either a
    mistake or an attack. The message keeps the address to itself, since the asker may not see our names.
    """
    addresses = []
    for answer in answers:
        address = _as_address(answer)
        refused = refusal(address) if address is not None else None
        if address is None or refused is not None:
            what = refused.what if refused is not None else "it has no meaning outside one machine"
            message = (
                f"{host} resolves to an address that is not public ({what}). "
                "Point it at public internet addresses only."
            )
            raise RefusedAddress(message)
        addresses.append(address)
    return addresses


def _answers_within(seconds: float, resolver: Resolver, host: str) -> list[str]:
    """Return a name's addresses; none if it does not resolve in time."""
    try:
        return lookups.start(resolver, host).result(seconds)
    except OSError:  # TimeoutError is one
        return []


def _split_scheme(url: str) -> tuple[str, str]:
    """Return the scheme in lower case and the text after `://`. All its characters are allowed in a URL."""
    if len(url) > MAX_URL_CHARACTERS:
        message = (
            f"The URL must be at most {MAX_URL_CHARACTERS} characters. It has {len(url)}. Use a shorter one."
        )
        raise InvalidUrl(message)
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in _DEFAULT_PORTS:
        message = "Use an absolute URL that starts with https://."
        raise InvalidUrl(message)
    if "#" in rest:
        message = "Remove the fragment (# and everything after it). It is never sent to a server."
        raise InvalidUrl(message)
    matched = _URL_TEXT.match(rest)
    end = matched.end() if matched else 0
    if end < len(rest):
        raise InvalidUrl(_unfit_character(rest[end]))
    return scheme.lower(), rest


def _unfit_character(character: str) -> str:
    if character == "\\":
        return "Replace the backslash with a slash (/), or percent-encode it as %5C."
    if character == "%":
        return "A percent sign must be followed by two hexadecimal digits. To send a percent sign, write %25."
    if character.isspace() or not character.isprintable():
        return f"Remove the space or control character (U+{ord(character):04X}) from the URL."
    if not character.isascii():
        return (
            f"The URL contains {character!r}. Write a host name in its ASCII form (xn--…), "
            "and percent-encode the rest as UTF-8."
        )
    return f"Percent-encode the character {character!r} as %{ord(character):02X}."


def _split_authority(authority: str) -> tuple[str, str | None]:
    """Return the host, in lower case and without brackets, and the port's text; None if there is no port."""
    if authority.startswith("["):
        bracketed, bracket, after = authority[1:].partition("]")
        if not bracket or (after and not after.startswith(":")):
            message = "Write an IPv6 address in brackets, as in https://[2600::1]/."
            raise InvalidUrl(message)
        if "%" in bracketed:
            message = "Remove the zone (% and everything after it) from the IPv6 address."
            raise InvalidUrl(message)
        try:
            host = str(ipaddress.IPv6Address(bracketed))
        except ValueError:
            message = (
                f"[{bracketed}] is not an IPv6 address. Write one as in https://[2600::1]/, or use a name."
            )
            raise InvalidUrl(message) from None
        return host, after[1:] if after else None
    host, colon, port = authority.partition(":")
    if ":" in port:
        message = "Write an IPv6 address in brackets, as in https://[2600::1]/, and only one port."
        raise InvalidUrl(message)
    return host.lower(), port if colon else None


def _port(text: str | None, scheme: str) -> int:
    if text is None:
        return _DEFAULT_PORTS[scheme]
    if not _PORT.fullmatch(text) or int(text) > 65535:
        message = "Write the port as a number from 1 to 65535 without leading zeros, or omit the port and the colon."
        raise InvalidUrl(message)
    return int(text)


def _literal(host: str) -> Address | None:
    """Return the host as an address; None if it is a name. Refuses numbers in any other spelling."""
    if ":" in host:
        return ipaddress.IPv6Address(host)
    if not _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return None
    if _DOTTED_ADDRESS.fullmatch(host):
        try:
            return ipaddress.IPv4Address(host)
        except ValueError:
            pass
    message = (
        f"{host} is not a plain IPv4 address. Write four decimal numbers from 0 to 255, as in 192.0.2.1."
    )
    raise InvalidUrl(message)


def _require_name(host: str) -> None:
    """Refuse what is not a host name: letters, digits, hyphens and underscores between single dots."""
    if not host:
        message = "The URL has no host. Use one such as https://hooks.example.com/."
        raise InvalidUrl(message)
    if "%" in host:
        message = "Write the host name plainly, without percent-encoding."
        raise InvalidUrl(message)
    if host.endswith("."):
        message = "Remove the dot at the end of the host name."
        raise InvalidUrl(message)
    if len(host) > MAX_HOST_CHARACTERS or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        message = (
            f"{host} is not a host name. Write letters, digits and hyphens, at most 63 between two dots."
        )
        raise InvalidUrl(message)


def _require_public_host(host: str, address: Address | None) -> None:
    if address is not None:
        refused = refusal(address)
        if refused is not None:
            message = (
                f"{host} is {refused.what} ({refused.label}, {refused.source}). "
                "Use the URL of a server on the public internet."
            )
            raise RefusedAddress(message)
        return
    if "." not in host:
        message = (
            f"{host} is a name of a local network. Use the full name of a server on the public internet."
        )
        raise RefusedAddress(message)
    for name, source in _LOCAL_NAMES.items():
        if host == name or host.endswith(f".{name}"):
            message = f"Names under .{name} are not public ({source}). Use the name of a public server."
            raise RefusedAddress(message)


def _as_address(text: str) -> Address | None:
    """Return the address that a resolver returned; None if it is not an address, or is bound to one interface."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
        return None
    return address
