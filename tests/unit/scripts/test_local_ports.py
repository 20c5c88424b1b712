"""The stand-ins of services have a port of their own, whatever port a stack has."""

from scripts.local.settings import mail_ports, services_port


def test_no_stack_shares_its_port_with_its_stand_ins() -> None:
    ports = range(1, 65_536)

    assert [port for port in ports if services_port(port) == port] == []
    assert [port for port in ports if not 1_023 < services_port(port) < 32_768] == []


def test_no_stack_shares_a_port_with_its_mail_and_no_two_stacks_share_one_of_mail() -> None:
    ports = range(4_000, 12_000)
    taken = [(port, each) for port in range(1_024, 65_536) for each in mail_ports(port)]

    assert [port for port in ports if len({port, services_port(port), *mail_ports(port)}) < 4] == []
    assert [port for port, each in taken if port == each or not 1_023 < each < 32_768] == []
