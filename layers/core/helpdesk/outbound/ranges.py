"""The address ranges that the service never connects to, each with the document that defines it: `ranges.csv`.

The table is explicit because the standard library's `is_global` is not enough. It accepts multicast, does not know
cloud metadata addresses, and its copy of the registries depends on the Python release. Every entry of the two IANA
special-purpose registries is refused, including those marked globally reachable: they are anycast relays, sinkholes and
identifiers, where no receiver can be.

Registries (as of 2025-10-09), each range with the name it has there:
- IANA IPv4 Special-Purpose Address Registry
- IANA IPv6 Special-Purpose Address Registry
- IANA IPv4 Address Space: multicast is 224.0.0.0/4
- IANA IPv6 Address Space: global unicast is allocated from 2000::/3 alone

Narrow ranges stand before the wide ones that hold them, so that a refusal names the nearest reason.

An address that embeds an IPv4 address is refused, whatever it embeds. No public receiver needs one, and this machine
cannot see who translates it, or to where. That holds for NAT64 too, so a network that synthesizes its answers (DNS64)
must not do so for the functions that send.
"""

import csv
import ipaddress
from pathlib import Path

from helpdesk.platform.record import Record

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address

CLOUD = "cloud"
"""Used in place of a registry for a range whose meaning a cloud provider defines within its own addresses."""

_NO_PREFIX = {"…:0:5efe:0:0/96": (6, 0x0000_5EFE << 32, 0xFCFF_FFFF << 32)}
"""ISATAP: the interface identifier begins 0000:5efe or 0200:5efe, in any network. The two lowest bits of its first byte
say "universal" and "group" and do not count."""


class RefusedRange(Record):
    """Addresses whose bits under `mask` equal `base`.

    label     the range as written, usually a prefix
    what      what the addresses are, to follow the word "is"
    source    the document that defines it
    registry  the name of the range in its IANA registry, or CLOUD
    """

    label: str
    what: str
    source: str
    registry: str
    version: int
    base: int
    mask: int

    def __contains__(self, address: Address) -> bool:
        """Whether `address` is in this range."""
        return address.version == self.version and int(address) & self.mask == self.base


def _range(label: str, what: str, source: str, registry: str) -> RefusedRange:
    if label in _NO_PREFIX:
        return RefusedRange(label, what, source, registry, *_NO_PREFIX[label])
    network = ipaddress.ip_network(label)
    base, mask = int(network.network_address), int(network.netmask)
    return RefusedRange(label, what, source, registry, network.version, base, mask)


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    _TABLE = tuple(_range(*row) for row in csv.reader(_file))

REFUSED_IPV4 = tuple(each for each in _TABLE if each.version == 4)
REFUSED_IPV6 = tuple(each for each in _TABLE if each.version == 6)


def refusal(address: Address) -> RefusedRange | None:
    """Return the range that `address` is refused for; None for an address on the public internet."""
    table = REFUSED_IPV4 if address.version == 4 else REFUSED_IPV6
    for refused in table:
        if address in refused:
            return refused
    return None


def is_loopback(address: Address) -> bool:
    """Whether `address` is a loopback address in plain form: 127.0.0.0/8 or ::1."""
    if address.version == 4:
        return int(address) >> 24 == 127
    return int(address) == 1
