"""What is deployed stays within the limits of AWS that no emulator enforces."""

import pytest

from scripts.local import aws_limits
from scripts.template import included
from tests.architecture.deployed import (
    API_FUNCTIONS,
    FUNCTIONS,
    PAGE_FUNCTIONS,
    SERVICE_FUNCTIONS,
    gateway_responses,
)
from tests.support.template import environment

# An address of a queue whose name has the 80 characters that SQS allows is about the longest value of AWS's own.
LONGEST_VALUE = "https://sqs.ap-southeast-2.amazonaws.com/123456789012/" + "x" * 80


@pytest.mark.parametrize("function", sorted(API_FUNCTIONS | PAGE_FUNCTIONS | SERVICE_FUNCTIONS))
def test_a_function_behind_the_api_ends_before_the_gateway_gives_it_up(function: str) -> None:
    seconds = FUNCTIONS[f"{function}Function"]["Properties"].get(
        "Timeout", included()["Globals"]["Function"]["Timeout"]
    )

    assert seconds <= aws_limits.SECONDS


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_a_functions_variables_fit_into_its_environment(function: str) -> None:
    resources = included()["Resources"]
    size = sum(
        len(name) + len(LONGEST_VALUE if value in resources or value.endswith("Queue") else value)
        for name, value in environment(function.removesuffix("Function")).items()
    )

    assert size <= aws_limits.ENVIRONMENT_BYTES


def test_the_gateway_names_both_ways_out_of_a_request_that_is_too_large() -> None:
    refusal = gateway_responses()["REQUEST_TOO_LARGE"]

    assert refusal["statusCode"] == "400"
    assert refusal["responseTemplates"]["application/json"] == (
        '{"error":{"code":"invalid_request","message":"One request can carry about 4.4 MB. '
        "For a larger file, send its name, type and size as JSON to POST /v1/uploads, then its bytes to upload.url. "
        'The body of a document may have 900,000 bytes: split a larger one into several."}}'
    )
