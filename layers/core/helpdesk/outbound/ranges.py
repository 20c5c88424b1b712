"""The address ranges that the service never connects to, each with the document that defines it.

The table is explicit because the standard library's `is_global` is not enough. It accepts multicast, does not know
cloud metadata addresses, and its copy of the registries depends on the Python release. Every entry of the two IANA
special-purpose registries is refused, including those marked globally reachable: they are anycast relays, sinkholes and
identifiers, where no receiver can be.

Registries (as of 2025-10-09), each range with the name it has there:
- IANA IPv4 Special-Purpose Address Registry
- IANA IPv6 Special-Purpose Address Registry
- IANA IPv4 Address Space: multicast is 224.0.0.0/4
- IANA IPv6 Address Space: global unicast is allocated from 2000::/3 alone
"""

import ipaddress

from helpdesk.platform.record import Record

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address

CLOUD = "cloud"
"""Used in place of a registry for a range whose meaning a cloud provider defines within its own addresses."""


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

    @classmethod
    def prefix(cls, prefix: str, what: str, source: str, registry: str) -> "RefusedRange":
        """Return the range of a CIDR prefix."""
        network = ipaddress.ip_network(prefix)
        base, mask = int(network.network_address), int(network.netmask)
        return cls(prefix, what, source, registry, network.version, base, mask)

    def __contains__(self, address: Address) -> bool:
        """Whether `address` is in this range."""
        return address.version == self.version and int(address) & self.mask == self.base


_prefix = RefusedRange.prefix


def _metadata(prefix: str, source: str) -> RefusedRange:
    return _prefix(prefix, "a cloud metadata service", source, CLOUD)


def _service(prefix: str, source: str) -> RefusedRange:
    return _prefix(prefix, "a cloud's own service", source, CLOUD)


# Narrow ranges stand before the wide ones that hold them, so that a refusal names the nearest reason.
REFUSED_IPV4: tuple[RefusedRange, ...] = (
    _prefix("0.0.0.0/32", "this host", "RFC 1122, section 3.2.1.3", "This host on this network"),
    _prefix("0.0.0.0/8", "this host or network", "RFC 791, section 3.2", "This network"),
    _prefix("10.0.0.0/8", "a private address", "RFC 1918", "Private-Use"),
    _metadata("100.100.100.200/32", "Alibaba Cloud, instance metadata"),
    _prefix("100.64.0.0/10", "a carrier's shared address", "RFC 6598", "Shared Address Space"),
    _prefix("127.0.0.0/8", "a loopback address", "RFC 1122, section 3.2.1.3", "Loopback"),
    _metadata("168.63.129.16/32", "Azure, WireServer"),
    _service("169.254.169.123/32", "Amazon EC2, time"),
    _service("169.254.169.249/32", "Amazon EC2, licences"),
    _service("169.254.169.250/31", "Amazon EC2, activation"),
    _service("169.254.169.253/32", "Amazon EC2, resolver of a VPC"),
    _metadata("169.254.169.254/32", "Amazon EC2, instance metadata"),
    _metadata("169.254.170.2/32", "Amazon ECS, task metadata"),
    _metadata("169.254.170.23/32", "Amazon EKS, Pod Identity"),
    _prefix("169.254.0.0/16", "a link-local address", "RFC 3927", "Link Local"),
    _prefix("172.16.0.0/12", "a private address", "RFC 1918", "Private-Use"),
    _metadata("192.0.0.192/32", "Oracle Cloud, instance metadata"),
    _prefix(
        "192.0.0.0/29",
        "an IPv4 service continuity address",
        "RFC 7335",
        "IPv4 Service Continuity Prefix",
    ),
    _prefix("192.0.0.8/32", "a dummy address", "RFC 7600", "IPv4 dummy address"),
    _prefix(
        "192.0.0.9/32",
        "an anycast address for port control",
        "RFC 7723",
        "Port Control Protocol Anycast",
    ),
    _prefix(
        "192.0.0.10/32",
        "an anycast address for relays",
        "RFC 8155",
        "Traversal Using Relays around NAT Anycast",
    ),
    _prefix(
        "192.0.0.170/31",
        "an address for the discovery of NAT64",
        "RFC 8880",
        "NAT64/DNS64 Discovery",
    ),
    _prefix(
        "192.0.0.0/24",
        "reserved for protocols of the IETF",
        "RFC 6890, section 2.1",
        "IETF Protocol Assignments",
    ),
    _prefix("192.0.2.0/24", "reserved for documentation", "RFC 5737", "Documentation (TEST-NET-1)"),
    _prefix("192.31.196.0/24", "a sinkhole for misdirected queries", "RFC 7535", "AS112-v4"),
    _prefix("192.52.193.0/24", "a multicast relay", "RFC 7450", "AMT"),
    _prefix("192.88.99.2/32", "a relay of 6a44", "RFC 6751", "6a44-relay anycast address"),
    _prefix("192.88.99.0/24", "a relay of 6to4", "RFC 7526", "Deprecated (6to4 Relay Anycast)"),
    _prefix("192.168.0.0/16", "a private address", "RFC 1918", "Private-Use"),
    _prefix(
        "192.175.48.0/24",
        "a sinkhole for misdirected queries",
        "RFC 7534",
        "Direct Delegation AS112 Service",
    ),
    _prefix("198.18.0.0/15", "reserved for benchmarks", "RFC 2544", "Benchmarking"),
    _prefix("198.51.100.0/24", "reserved for documentation", "RFC 5737", "Documentation (TEST-NET-2)"),
    _prefix("203.0.113.0/24", "reserved for documentation", "RFC 5737", "Documentation (TEST-NET-3)"),
    _prefix("224.0.0.0/4", "a multicast address", "RFC 5771", "IANA IPv4 Address Space: Multicast"),
    _prefix("255.255.255.255/32", "the broadcast address", "RFC 919, section 7", "Limited Broadcast"),
    _prefix("240.0.0.0/4", "reserved", "RFC 1112, section 4", "Reserved"),
)

# An address that embeds an IPv4 address is refused, whatever it embeds. No public receiver needs one, and this machine
# cannot see who translates it, or to where. That holds for NAT64 too, so a network that synthesizes its answers (DNS64)
# must not do so for the functions that send.
REFUSED_IPV6: tuple[RefusedRange, ...] = (
    _prefix("::/128", "the unspecified address", "RFC 4291, section 2.5.2", "Unspecified Address"),
    _prefix("::1/128", "the loopback address", "RFC 4291, section 2.5.3", "Loopback Address"),
    _prefix(
        "::/96",
        "an IPv4-compatible address",
        "RFC 4291, section 2.5.5.1",
        "IANA IPv6 Address Space: Reserved by IETF",
    ),
    _prefix("::ffff:0:0/96", "an IPv4-mapped address", "RFC 4291, section 2.5.5.2", "IPv4-mapped Address"),
    _prefix(
        "::ffff:0:0:0/96",
        "an IPv4-translated address",
        "RFC 2765, section 2.1",
        "IANA IPv6 Address Space: Reserved by IETF",
    ),
    _prefix("64:ff9b::/96", "an IPv4 address behind NAT64", "RFC 6052", "IPv4-IPv6 Translat."),
    _prefix("64:ff9b:1::/48", "an IPv4 address behind a local NAT64", "RFC 8215", "IPv4-IPv6 Translat."),
    _prefix(
        "100::/64",
        "an address whose packets are discarded",
        "RFC 6666",
        "Discard-Only Address Block",
    ),
    _prefix("100:0:0:1::/64", "a dummy address", "RFC 9780", "Dummy IPv6 Prefix"),
    _prefix("2001::/32", "an IPv4 address behind Teredo", "RFC 4380", "TEREDO"),
    _prefix(
        "2001:1::1/128",
        "an anycast address for port control",
        "RFC 7723",
        "Port Control Protocol Anycast",
    ),
    _prefix(
        "2001:1::2/128",
        "an anycast address for relays",
        "RFC 8155",
        "Traversal Using Relays around NAT Anycast",
    ),
    _prefix(
        "2001:1::3/128",
        "an anycast address for the registration of services",
        "RFC 9665",
        "DNS-SD Service Registration Protocol Anycast Address",
    ),
    _prefix("2001:2::/48", "reserved for benchmarks", "RFC 5180", "Benchmarking"),
    _prefix("2001:3::/32", "a multicast relay", "RFC 7450", "AMT"),
    _prefix("2001:4:112::/48", "a sinkhole for misdirected queries", "RFC 7535", "AS112-v6"),
    _prefix("2001:10::/28", "a hash identifier (ORCHID)", "RFC 4843", "Deprecated (previously ORCHID)"),
    _prefix("2001:20::/28", "a hash identifier (ORCHIDv2)", "RFC 7343", "ORCHIDv2"),
    _prefix(
        "2001:30::/28",
        "a drone's identifier",
        "RFC 9374",
        "Drone Remote ID Protocol Entity Tags (DETs) Prefix",
    ),
    _prefix("2001::/23", "reserved for protocols of the IETF", "RFC 2928", "IETF Protocol Assignments"),
    _prefix("2001:db8::/32", "reserved for documentation", "RFC 3849", "Documentation"),
    _prefix("2002::/16", "an IPv4 address behind 6to4", "RFC 3056", "6to4"),
    _prefix(
        "2620:4f:8000::/48",
        "a sinkhole for misdirected queries",
        "RFC 7534",
        "Direct Delegation AS112 Service",
    ),
    _prefix("3fff::/20", "reserved for documentation", "RFC 9637", "Documentation"),
    _prefix("5f00::/16", "a segment identifier", "RFC 9602", "Segment Routing (SRv6) SIDs"),
    _service("fd00:ec2::123/128", "Amazon EC2, time"),
    _service("fd00:ec2::250/127", "Amazon EC2, activation"),
    _service("fd00:ec2::253/128", "Amazon EC2, resolver of a VPC"),
    _metadata("fd00:ec2::254/128", "Amazon EC2, instance metadata"),
    _metadata("fd00:ec2::23/128", "Amazon EKS, Pod Identity"),
    _metadata("fd00:c1::a9fe:a9fe/128", "Oracle Cloud, instance metadata"),
    _metadata("fd20:ce::254/128", "Google Cloud, metadata server"),
    _prefix("fc00::/7", "a private address", "RFC 4193", "Unique-Local"),
    _metadata("fe80::a9fe:a9fe/128", "OpenStack, instance metadata"),
    _prefix("fe80::/10", "a link-local address", "RFC 4291, section 2.5.6", "Link-Local Unicast"),
    _prefix(
        "fec0::/10",
        "a site-local address",
        "RFC 3879",
        "IANA IPv6 Address Space: Reserved by IETF",
    ),
    _prefix(
        "ff00::/8",
        "a multicast address",
        "RFC 4291, section 2.7",
        "IANA IPv6 Address Space: Multicast",
    ),
    # ISATAP is no prefix: the interface identifier begins 0000:5efe or 0200:5efe, in any network. The two
    # lowest bits of its first byte say "universal" and "group" and are not looked at.
    RefusedRange(
        label="…:0:5efe:0:0/96",
        what="an IPv4 address behind ISATAP",
        source="RFC 5214, section 6.1",
        registry="IANA EUI-64: 00-00-5E-FE",
        version=6,
        base=0x0000_5EFE << 32,
        mask=0xFCFF_FFFF << 32,
    ),
    # What lies outside 2000::/3: all but its three leading bits may be anything.
    *(
        _prefix(
            prefix,
            "not allocated for public use",
            "RFC 4291, section 2.4",
            "IANA IPv6 Address Space: Reserved by IETF",
        )
        for prefix in ("::/3", "4000::/3", "6000::/3", "8000::/3", "a000::/3", "c000::/3", "e000::/3")
    ),
)


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
