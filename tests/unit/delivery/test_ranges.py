"""The refused ranges at their edges, from a list of its own: the table under test is not its own witness."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.delivery import ranges

# first address, last address, whether the ones just outside are refused too (by a neighbouring range)
EDGES = [
    ("0.0.0.0", "0.255.255.255", None, False),
    ("10.0.0.0", "10.255.255.255", False, False),
    ("100.64.0.0", "100.127.255.255", False, False),
    ("127.0.0.0", "127.255.255.255", False, False),
    ("168.63.129.16", "168.63.129.16", False, False),
    ("169.254.0.0", "169.254.255.255", False, False),
    ("172.16.0.0", "172.31.255.255", False, False),
    ("192.0.0.0", "192.0.0.255", False, False),
    ("192.0.2.0", "192.0.2.255", False, False),
    ("192.31.196.0", "192.31.196.255", False, False),
    ("192.52.193.0", "192.52.193.255", False, False),
    ("192.88.99.0", "192.88.99.255", False, False),
    ("192.168.0.0", "192.168.255.255", False, False),
    ("192.175.48.0", "192.175.48.255", False, False),
    ("198.18.0.0", "198.19.255.255", False, False),
    ("198.51.100.0", "198.51.100.255", False, False),
    ("203.0.113.0", "203.0.113.255", False, False),
    ("224.0.0.0", "255.255.255.255", False, None),
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, False),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", False, False),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", False, False),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", False, False),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", False, False),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", False, False),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", False, None),
]

NAMED = {
    "0.0.0.0": "0.0.0.0/8",
    "10.255.255.255": "10.0.0.0/8",
    "100.100.100.200": "100.100.100.200/32",
    "127.0.0.1": "127.0.0.0/8",
    "169.254.169.254": "169.254.169.254/32",
    "169.254.169.253": "169.254.0.0/16",
    "192.0.0.170": "192.0.0.170/31",
    "192.0.0.171": "192.0.0.170/31",
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
    "fd00:ec2::254": "fd00:ec2::254/128",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fc00::/7",
    "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fe80::/10",
    "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "fec0::/10",
    "ff00::": "ff00::/8",
    "fe00::": "e000::/3",
}


def _refused(address: ranges.Address) -> bool:
    return ranges.refusal(address) is not None


@pytest.mark.parametrize(("first", "last", "below", "above"), EDGES)
def test_a_range_begins_and_ends_where_its_source_says(
    first: str, last: str, below: bool | None, above: bool | None
) -> None:
    start, end = ipaddress.ip_address(first), ipaddress.ip_address(last)

    assert _refused(start)
    assert _refused(end)
    assert below is None or _refused(start - 1) is below
    assert above is None or _refused(end + 1) is above


@pytest.mark.parametrize(("address", "label"), NAMED.items())
def test_an_address_is_refused_for_the_nearest_reason(address: str, label: str) -> None:
    refused = ranges.refusal(ipaddress.ip_address(address))

    assert refused is not None
    assert refused.label == label


@pytest.mark.parametrize(("first", "last"), [(first, last) for first, last, _, _ in EDGES])
@given(data=st.data())
def test_no_address_inside_a_range_is_let_through(first: str, last: str, data: st.DataObject) -> None:
    start, end = ipaddress.ip_address(first), ipaddress.ip_address(last)
    inside = data.draw(st.integers(int(start), int(end)))

    assert _refused(type(start)(inside))


@given(st.integers(0, 2**32 - 1))
def test_no_ipv4_address_passes_inside_ipv6(number: int) -> None:
    teredo = (0x2001_0000 << 96) | (number << 64) | (number ^ 0xFFFF_FFFF)
    carried = [
        number,
        (0xFFFF << 32) | number,
        (0xFFFF << 48) | number,
        (0x64_FF9B << 96) | number,
        (0x64_FF9B_0001 << 80) | number,
        (0x2002 << 112) | (number << 80) | 1,
        teredo,
        (0x2606_4700 << 96) | (0x0000_5EFE << 32) | number,
        (0x2606_4700 << 96) | (0x0200_5EFE << 32) | number,
    ]

    assert all(_refused(ipaddress.IPv6Address(form)) for form in carried)


@given(st.ip_addresses())
def test_what_the_standard_library_calls_not_global_is_refused(address: ranges.Address) -> None:
    assert address.is_global or _refused(address)


@given(st.ip_addresses(v=4))
def test_ordinary_ipv4_addresses_are_public(address: ranges.Address) -> None:
    inside = any(
        int(ipaddress.IPv4Address(first)) <= int(address) <= int(ipaddress.IPv4Address(last))
        for first, last, _, _ in EDGES
        if ":" not in first
    )

    assert _refused(address) is inside


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
def test_loopback_is_this_machine_in_no_disguise(address: str, expected: bool) -> None:
    assert ranges.is_loopback(ipaddress.ip_address(address)) is expected


def test_every_range_names_its_source() -> None:
    assert all(refused.source for refused in ranges.REFUSED_IPV4 + ranges.REFUSED_IPV6)
