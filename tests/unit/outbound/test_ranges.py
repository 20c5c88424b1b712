"""The refused ranges at their edges, from lists of their own: the table under test is not its own witness."""

import ipaddress
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpdesk.outbound import ranges
from tests.support.rules import for_each

# The two special-purpose registries, entry by entry, as IANA publishes them: prefix, name, where it is defined.
REGISTERED = [
    ("0.0.0.0/8", "This network", "RFC 791"),
    ("0.0.0.0/32", "This host on this network", "RFC 1122"),
    ("10.0.0.0/8", "Private-Use", "RFC 1918"),
    ("100.64.0.0/10", "Shared Address Space", "RFC 6598"),
    ("127.0.0.0/8", "Loopback", "RFC 1122"),
    ("169.254.0.0/16", "Link Local", "RFC 3927"),
    ("172.16.0.0/12", "Private-Use", "RFC 1918"),
    ("192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890"),
    ("192.0.0.0/29", "IPv4 Service Continuity Prefix", "RFC 7335"),
    ("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
    ("192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723"),
    ("192.0.0.10/32", "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    ("192.0.0.170/31", "NAT64/DNS64 Discovery", "RFC 8880"),
    ("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737"),
    ("192.31.196.0/24", "AS112-v4", "RFC 7535"),
    ("192.52.193.0/24", "AMT", "RFC 7450"),
    ("192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526"),
    ("192.88.99.2/32", "6a44-relay anycast address", "RFC 6751"),
    ("192.168.0.0/16", "Private-Use", "RFC 1918"),
    ("192.175.48.0/24", "Direct Delegation AS112 Service", "RFC 7534"),
    ("198.18.0.0/15", "Benchmarking", "RFC 2544"),
    ("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737"),
    ("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737"),
    ("240.0.0.0/4", "Reserved", "RFC 1112"),
    ("255.255.255.255/32", "Limited Broadcast", "RFC 919"),
    ("::1/128", "Loopback Address", "RFC 4291"),
    ("::/128", "Unspecified Address", "RFC 4291"),
    ("::ffff:0:0/96", "IPv4-mapped Address", "RFC 4291"),
    ("64:ff9b::/96", "IPv4-IPv6 Translat.", "RFC 6052"),
    ("64:ff9b:1::/48", "IPv4-IPv6 Translat.", "RFC 8215"),
    ("100::/64", "Discard-Only Address Block", "RFC 6666"),
    ("100:0:0:1::/64", "Dummy IPv6 Prefix", "RFC 9780"),
    ("2001::/23", "IETF Protocol Assignments", "RFC 2928"),
    ("2001::/32", "TEREDO", "RFC 4380"),
    ("2001:1::1/128", "Port Control Protocol Anycast", "RFC 7723"),
    ("2001:1::2/128", "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    ("2001:1::3/128", "DNS-SD Service Registration Protocol Anycast Address", "RFC 9665"),
    ("2001:2::/48", "Benchmarking", "RFC 5180"),
    ("2001:3::/32", "AMT", "RFC 7450"),
    ("2001:4:112::/48", "AS112-v6", "RFC 7535"),
    ("2001:10::/28", "Deprecated (previously ORCHID)", "RFC 4843"),
    ("2001:20::/28", "ORCHIDv2", "RFC 7343"),
    ("2001:30::/28", "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374"),
    ("2001:db8::/32", "Documentation", "RFC 3849"),
    ("2002::/16", "6to4", "RFC 3056"),
    ("2620:4f:8000::/48", "Direct Delegation AS112 Service", "RFC 7534"),
    ("3fff::/20", "Documentation", "RFC 9637"),
    ("5f00::/16", "Segment Routing (SRv6) SIDs", "RFC 9602"),
    ("fc00::/7", "Unique-Local", "RFC 4193"),
    ("fe80::/10", "Link-Local Unicast", "RFC 4291"),
]

# What is public nowhere else: multicast, the addresses that carry others, what is not allocated, and one public
# address that a cloud took for itself.
ADDITIONAL = [
    "168.63.129.16/32",
    "224.0.0.0/4",
    "::/96",
    "::ffff:0:0:0/96",
    "::/3",
    "4000::/2",
    "8000::/1",
]

CLOUDS = {
    "100.100.100.200": "Alibaba Cloud",
    "168.63.129.16": "Azure",
    "169.254.169.123": "Amazon EC2",
    "169.254.169.249": "Amazon EC2",
    "169.254.169.250": "Amazon EC2",
    "169.254.169.251": "Amazon EC2",
    "169.254.169.253": "Amazon EC2",
    "169.254.169.254": "Amazon EC2",
    "169.254.170.2": "Amazon ECS",
    "169.254.170.23": "Amazon EKS",
    "192.0.0.192": "Oracle Cloud",
    "fd00:c1::a9fe:a9fe": "Oracle Cloud",
    "fd00:ec2::23": "Amazon EKS",
    "fd00:ec2::123": "Amazon EC2",
    "fd00:ec2::250": "Amazon EC2",
    "fd00:ec2::251": "Amazon EC2",
    "fd00:ec2::253": "Amazon EC2",
    "fd00:ec2::254": "Amazon EC2",
    "fd20:ce::254": "Google Cloud",
    "fe80::a9fe:a9fe": "OpenStack",
}

NAMED = {
    "0.0.0.0": "0.0.0.0/32",
    "0.0.0.1": "0.0.0.0/8",
    "10.255.255.255": "10.0.0.0/8",
    "100.100.100.201": "100.64.0.0/10",
    "127.0.0.1": "127.0.0.0/8",
    "169.254.169.252": "169.254.0.0/16",
    "192.0.0.170": "192.0.0.170/31",
    "192.0.0.171": "192.0.0.170/31",
    "192.0.0.172": "192.0.0.0/24",
    "255.255.255.255": "255.255.255.255/32",
    "255.255.255.254": "240.0.0.0/4",
    "::": "::/128",
    "::1": "::1/128",
    "::2": "::/96",
    "::ffff:8.8.8.8": "::ffff:0:0/96",
    "::ffff:0:8.8.8.8": "::ffff:0:0:0/96",
    "64:ff9b::8.8.8.8": "64:ff9b::/96",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff": "64:ff9b:1::/48",
    "100::ffff:ffff:ffff:ffff": "100::/64",
    "100:0:0:1::": "100:0:0:1::/64",
    "2001:0:ffff:ffff:ffff:ffff:ffff:ffff": "2001::/32",
    "2001:1::3": "2001:1::3/128",
    "2001:1::4": "2001::/23",
    "2002:808:808::1": "2002::/16",
    "2606:4700::5efe:8.8.8.8": "…:0:5efe:0:0/96",
    "2606:4700::200:5efe:8.8.8.8": "…:0:5efe:0:0/96",
    "5f00::1": "5f00::/16",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fc00::/7",
    "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fe80::/10",
    "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fec0::/10",
    "ff00::": "ff00::/8",
    "fe00::": "e000::/3",
}

TABLE = ranges.REFUSED_IPV4 + ranges.REFUSED_IPV6
PREFIXES = [entry for entry in TABLE if "…" not in entry.label]
WRITTEN_OUT = [
    ipaddress.ip_network(prefix) for prefix in [prefix for prefix, _, _ in REGISTERED] + ADDITIONAL
]
ISATAP = re.compile(r"[0-9a-f:]{20}0[0-3]00:5efe:[0-9a-f]{4}:[0-9a-f]{4}")


def _refused(address: ranges.Address) -> bool:
    return ranges.refusal(address) is not None


def _should_be_refused(address: ranges.Address) -> bool:
    inside = any(address in network for network in WRITTEN_OUT if network.version == address.version)
    return inside or bool(ISATAP.fullmatch(address.exploded))


def _edges(entry: ranges.RefusedRange) -> list[ranges.Address]:
    """Return a range's first and last address, and those one before and one after where there are such."""
    kind = ipaddress.IPv4Address if entry.version == 4 else ipaddress.IPv6Address
    bits = 32 if entry.version == 4 else 128
    first, last = entry.base, entry.base | (~entry.mask & (2**bits - 1))
    return [kind(number) for number in (first, last, first - 1, last + 1) if 0 <= number < 2**bits]


@for_each("entry", PREFIXES, ids=lambda entry: entry.label)
def test_a_range_begins_and_ends_where_its_source_says(entry: ranges.RefusedRange) -> None:
    network = ipaddress.ip_network(entry.label)
    first, last = network.network_address, network.broadcast_address

    assert _refused(first)
    assert _refused(last)
    assert first in entry
    assert last in entry
    for address in _edges(entry):
        assert (address in entry) is (first <= address <= last)  # type: ignore[operator]
        assert _refused(address) is _should_be_refused(address), address


@for_each("network", WRITTEN_OUT, ids=str)
def test_listed_ranges_are_refused_exactly_to_their_edges(
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> None:
    kind = type(network.network_address)
    first, last = int(network.network_address), int(network.broadcast_address)

    assert _refused(kind(first))
    assert _refused(kind(last))
    for number in (first - 1, last + 1):
        if 0 <= number < 2**network.max_prefixlen:
            assert _refused(kind(number)) is _should_be_refused(kind(number)), kind(number)


@for_each(("prefix", "name", "source"), REGISTERED)
def test_every_entry_of_the_registries_is_in_the_table_with_its_name_and_document(
    prefix: str, name: str, source: str
) -> None:
    (entry,) = [entry for entry in TABLE if entry.label == prefix]

    assert entry.registry == name
    assert entry.source.split(",")[0] == source


@pytest.mark.parametrize(("address", "provider"), CLOUDS.items())
def test_the_services_of_clouds_are_refused_by_name(address: str, provider: str) -> None:
    refused = ranges.refusal(ipaddress.ip_address(address))

    assert refused is not None
    assert refused.registry == ranges.CLOUD
    assert refused.source.startswith(f"{provider}, ")


def test_the_table_holds_only_the_registries_and_the_clouds() -> None:
    others = {
        entry.label
        for entry in TABLE
        if entry.registry != ranges.CLOUD
        and entry.label not in {prefix for prefix, _, _ in REGISTERED}
        and not entry.registry.startswith("IANA ")
    }

    assert others == set()
    assert len({(entry.version, entry.label) for entry in TABLE}) == len(TABLE)
    assert all(entry.what and entry.source and entry.registry for entry in TABLE)


@pytest.mark.parametrize(("address", "label"), NAMED.items())
def test_an_address_is_refused_for_the_nearest_reason(address: str, label: str) -> None:
    refused = ranges.refusal(ipaddress.ip_address(address))

    assert refused is not None
    assert refused.label == label


@pytest.mark.parametrize("network", WRITTEN_OUT, ids=str)
@given(data=st.data())
def test_every_address_inside_a_range_is_refused(
    network: ipaddress.IPv4Network | ipaddress.IPv6Network, data: st.DataObject
) -> None:
    inside = data.draw(st.integers(int(network.network_address), int(network.broadcast_address)))

    assert _refused(type(network.network_address)(inside))


def _embedded(number: int) -> list[int]:
    """Return an IPv4 address in every form in which IPv6 carries one."""
    return [
        number,  # compatible
        (0xFFFF << 32) | number,  # mapped
        (0xFFFF << 48) | number,  # translated
        (0x64_FF9B << 96) | number,  # NAT64
        (0x64_FF9B_0001 << 80) | number,  # a local NAT64, /96
        # RFC 6052, section 2.2: with a prefix of 48 bits the address stands around the byte of zeros.
        (0x64_FF9B_0001 << 80) | (number >> 16 << 64) | ((number & 0xFFFF) << 40),
        (0x2002 << 112) | (number << 80) | 1,  # 6to4
        (0x2001_0000 << 96) | (number << 64) | 0xF7F7_F7F7,  # Teredo, as the server
        (0x2001_0000 << 96) | (0x0808_0808 << 64) | (number ^ 0xFFFF_FFFF),  # Teredo, as the client
        (0x2606_4700 << 96) | (0x0000_5EFE << 32) | number,  # ISATAP
        (0x2606_4700 << 96) | (0x0200_5EFE << 32) | number,  # ISATAP, universal
        (0xFE80 << 112) | (0x0000_5EFE << 32) | number,  # ISATAP, on the link
    ]


@given(st.integers(0, 2**32 - 1))
@example(0x7F00_0001)
@example(0xA9FE_A9FE)
@example(0x0A00_0001)
@example(0x0808_0808)
def test_no_ipv4_address_passes_inside_ipv6_private_or_public(number: int) -> None:
    passed = [form for form in _embedded(number) if not _refused(ipaddress.IPv6Address(form))]

    assert passed == []


@given(
    st.integers(0, 2**64 - 1), st.sampled_from([0x0000, 0x0100, 0x0200, 0x0300]), st.integers(0, 2**32 - 1)
)
def test_isatap_is_refused_in_every_network(network: int, flags: int, number: int) -> None:
    address = (network << 64) | (flags << 48) | (0x5EFE << 32) | number

    assert _refused(ipaddress.IPv6Address(address))


@given(st.ip_addresses())
def test_addresses_that_the_standard_library_calls_not_global_are_refused(address: ranges.Address) -> None:
    assert address.is_global or _refused(address)


@given(
    st.one_of(st.ip_addresses(), st.integers(0x2000 << 112, (0x4000 << 112) - 1).map(ipaddress.IPv6Address))
)
def test_every_other_address_is_public(address: ranges.Address) -> None:
    assert _refused(address) is _should_be_refused(address)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.0", True),
        ("127.255.255.255", True),
        ("126.255.255.255", False),
        ("128.0.0.0", False),
        ("::1", True),
        ("::", False),
        ("::2", False),
        ("::ffff:127.0.0.1", False),
    ],
)
def test_only_plain_loopback_addresses_count_as_loopback(address: str, expected: bool) -> None:
    assert ranges.is_loopback(ipaddress.ip_address(address)) is expected
