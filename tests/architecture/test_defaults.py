"""What functions get where the operator sets no parameter: the local stack sets most of them."""

import pytest

from tests.architecture.deployed import FUNCTIONS, WORKERS
from tests.support.template import environment

WITHOUT_A_REQUEST = sorted(
    each
    for each in WORKERS
    if "BASE_URL" in FUNCTIONS[f"{each}Function"]["Properties"]["Environment"]["Variables"]
)


def test_some_worker_writes_links() -> None:
    assert "IntegrationWorker" in WITHOUT_A_REQUEST


@pytest.mark.parametrize("function", WITHOUT_A_REQUEST)
def test_a_function_without_a_request_knows_the_gateways_address(function: str) -> None:
    assert environment(function)["BASE_URL"] == "https://Api.execute-api.us-east-1.amazonaws.com/dev"


@pytest.mark.parametrize("function", WITHOUT_A_REQUEST)
def test_the_operators_address_replaces_the_gateways(function: str) -> None:
    address = "https://support.example.com"

    assert environment(function, BaseUrl=address)["BASE_URL"] == address
