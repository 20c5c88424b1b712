"""The stand-ins of services have a port of their own, whatever port a stack has."""

from scripts.local.settings import services_port


def test_no_stack_shares_its_port_with_its_stand_ins() -> None:
    ports = range(1, 65_536)

    assert [port for port in ports if services_port(port) == port] == []
    assert [port for port in ports if not 1_023 < services_port(port) < 32_768] == []
