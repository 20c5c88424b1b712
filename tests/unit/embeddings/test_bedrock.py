"""The requests and responses of Bedrock's embedding models, as its documentation has them."""

import io
import json
from typing import Any

import boto3
import numpy as np
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from helpdesk.platform import clients
from helpdesk.search.embeddings.bedrock import BedrockEmbedder
from helpdesk.search.embeddings.embedder import EmbeddingFailed, embedder

TITAN = "amazon.titan-embed-text-v2:0"
COHERE_3 = "cohere.embed-multilingual-v3"
COHERE_4 = "eu.cohere.embed-v4:0"


class Bedrock:
    """Bedrock that expects one request after the other, checked with the service's own model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        client = boto3.client(
            "bedrock-runtime", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x"
        )
        self.stub = Stubber(client)
        self.stub.activate()
        monkeypatch.setattr(clients, "bedrock", lambda: client)

    def expect(self, model: str, body: dict[str, Any], answer: dict[str, Any]) -> None:
        text = json.dumps(answer).encode()
        self.stub.add_response(
            "invoke_model",
            {"body": StreamingBody(io.BytesIO(text), len(text)), "contentType": "application/json"},
            {
                "modelId": model,
                "body": json.dumps(body),
                "contentType": "application/json",
                "accept": "application/json",
            },
        )


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Bedrock:
    return Bedrock(monkeypatch)


def test_titan_is_asked_for_each_text(bedrock: Bedrock) -> None:
    for text, vector in (("one", [3.0, 4.0]), ("two", [0.0, 2.0])):
        bedrock.expect(
            TITAN,
            {"inputText": text, "dimensions": 512, "normalize": True},
            {
                "embedding": vector,
                "embeddingsByType": {"float": vector},
                "inputTextTokenCount": 3,
            },
        )

    found = BedrockEmbedder(TITAN).passages(["one", "two"])

    assert np.allclose(found, [[0.6, 0.8], [0.0, 1.0]])
    bedrock.stub.assert_no_pending_responses()


def test_cohere_3_receives_documents_and_questions_as_different_kinds_of_input(bedrock: Bedrock) -> None:
    for input_type in ("search_document", "search_query"):
        bedrock.expect(
            COHERE_3,
            {
                "texts": ["eins"],
                "input_type": input_type,
                "truncate": "END",
                "embedding_types": ["float"],
            },
            {
                "id": "1",
                "texts": ["eins"],
                "response_type": "embeddings_by_type",
                "embeddings": {"float": [[1.0, 0.0]]},
            },
        )
    model = BedrockEmbedder(COHERE_3)

    assert model.passages(["eins"]).tolist() == [[1.0, 0.0]]
    assert model.question("eins").tolist() == [1.0, 0.0]


def test_cohere_takes_96_texts_at_once(bedrock: Bedrock) -> None:
    for count in (96, 4):
        bedrock.expect(
            COHERE_4,
            {
                "texts": ["text"] * count,
                "input_type": "search_document",
                "truncate": "RIGHT",
                "embedding_types": ["float"],
                "output_dimension": 512,
            },
            {"id": "1", "response_type": "embeddings_floats", "embeddings": [[0.0, 5.0]] * count},
        )

    assert BedrockEmbedder(COHERE_4).passages(["text"] * 100).shape == (100, 2)
    bedrock.stub.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["ThrottlingException", "AccessDeniedException", "ModelTimeoutException"])
def test_a_refusal_of_bedrock_is_one_error(bedrock: Bedrock, code: str) -> None:
    bedrock.stub.add_client_error("invoke_model", code)

    with pytest.raises(EmbeddingFailed, match=code):
        BedrockEmbedder(TITAN).question("one")


def test_a_kind_names_the_model_and_its_dimensions() -> None:
    assert [embedder(model).kind for model in ("", TITAN, COHERE_3, COHERE_4)] == [
        "minilm-l6-v2-int8",
        "amazon.titan-embed-text-v2-0-512",
        "cohere.embed-multilingual-v3",
        "eu.cohere.embed-v4-0-512",
    ]


def test_models_of_bedrock_know_every_language_and_were_not_calibrated() -> None:
    model = embedder(TITAN)

    assert model.languages is None
    assert not model.calibrated
    assert embedder("").languages == frozenset({"en"})
    assert embedder("").calibrated
