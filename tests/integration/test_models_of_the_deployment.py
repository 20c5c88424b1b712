"""A function may call the models that its variables name, by their own IDs and by those of inference profiles."""

from typing import Any

import pytest
from botocore.endpoint import Endpoint
from botocore.exceptions import EndpointConnectionError

from helpdesk.agent import converse
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.bedrock import BedrockEmbedder
from helpdesk.search.embeddings.embedder import EmbeddingFailed
from tests.support.api import function
from tests.support.permissions import running
from tests.support.template import ROOT

MODEL, PROFILE = "amazon.titan-embed-text-v2:0", "eu.amazon.titan-embed-text-v2:0"


def embed(folder: str, model: str) -> None:
    running(folder, BedrockEmbedder(model).question)("Hello")


def answer(folder: str, model: str) -> None:
    running(folder, converse.turn)(model, "Answer.", [converse.user_message("Hello")], ())


CALLS = {"AGENT_MODEL_ID": answer, "REVIEW_MODEL_ID": answer, "EMBEDDING_MODEL_ID": embed}
NAMED = [
    (path.parent.name, variable)
    for path in sorted((ROOT / "functions").glob("*/app.py"))
    for variable in CALLS
    if variable in getattr(function(path.parent.name), "NEEDS", ())
]


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no request leave: what the role says of it is known before."""

    def send(*_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://bedrock.invalid")

    monkeypatch.setattr(Endpoint, "make_request", send)


@pytest.mark.parametrize("model", [MODEL, PROFILE])
@pytest.mark.parametrize(("folder", "variable"), NAMED)
@pytest.mark.usefixtures("unreachable")
def test_a_function_may_call_the_models_that_its_variables_name(
    folder: str, variable: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, model)
    monkeypatch.setenv("GUARDRAIL_ID", "guardrail1")
    settings.cache_clear()

    with pytest.raises((EmbeddingFailed, converse.ModelTrouble)):
        CALLS[variable](folder, model)
