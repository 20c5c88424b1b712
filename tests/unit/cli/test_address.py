import click
import pytest

from helpdesk_cli.address import normalized


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://support.example.com", "https://support.example.com"),
        ("https://Support.Example.com:443/prod/", "https://support.example.com/prod"),
        ("https://support.example.com/v1", "https://support.example.com"),
        ("https://support.example.com/prod/v1/", "https://support.example.com/prod"),
        ("  http://127.0.0.1:4566/helpdesk ", "http://127.0.0.1:4566/helpdesk"),
        ("http://localhost", "http://localhost"),
        ("http://api.localhost:80", "http://api.localhost"),
        ("http://[::1]:4566", "http://[::1]:4566"),
        ("http://127.8.9.10", "http://127.8.9.10"),
    ],
)
def test_an_address_is_stored_in_its_normal_form(given: str, kept: str) -> None:
    assert normalized(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "http://support.example.com",
        "http://10.0.0.1",
        "http://localhost.example.com",
        "http://128.0.0.1",
        "http://0.0.0.0",
    ],
)
def test_plain_http_to_another_machine_is_refused(given: str) -> None:
    with pytest.raises(click.UsageError, match="unencrypted"):
        normalized(given)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "support.example.com",
        "ftp://support.example.com",
        "https://",
        "https://host:port",
        "https://[::1",
        "https://host:99999",
    ],
)
def test_an_invalid_address_is_rejected(given: str) -> None:
    with pytest.raises(click.UsageError, match="is not a valid address"):
        normalized(given)


@pytest.mark.parametrize(
    "given", ["https://ada@host.example", "https://host.example?a=b", "https://host.example#a"]
)
def test_an_address_with_a_user_a_query_or_a_fragment_is_rejected(given: str) -> None:
    with pytest.raises(click.UsageError, match="cannot have a user name"):
        normalized(given)
