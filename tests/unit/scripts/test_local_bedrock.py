"""`make dev MODEL=…`: the proxy signs calls of the chosen model with the developer's credentials, and no others."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from botocore.httpsession import URLLib3Session

from helpdesk.agent import converse
from helpdesk.agent.converse import ModelBusy, ModelFailed
from helpdesk.platform import clients
from helpdesk.platform.settings import settings as function_settings
from scripts.local import bedrock
from scripts.local.progress import Problem, Progress
from scripts.local.settings import StackSettings, settings_for
from tests.support.converse import THROTTLED, Reply, ScriptedModel, says, served

MODEL = "eu.amazon.nova-lite-v1:0"
PORT = 18_315  # it and its model port are below the ports that the system hands out


@contextmanager
def a_stack_with_a_model(monkeypatch: pytest.MonkeyPatch, *replies: Reply) -> Iterator[ScriptedModel]:
    """Run the proxy before a scripted Bedrock, and let this process's functions call it as a local stack's do."""
    model = ScriptedModel([*replies])
    with served(model) as address:
        environment = {
            "AWS_ACCESS_KEY_ID": "AKIADEVELOPER",
            "AWS_SECRET_ACCESS_KEY": "theirs",
            "AWS_REGION": "eu-central-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": address,
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        settings = StackSettings(port=PORT, model=MODEL)
        with bedrock.proxy(settings, Progress()):
            monkeypatch.delenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
            monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
            monkeypatch.setenv("STAGE", "local")
            monkeypatch.setenv("BEDROCK_ENDPOINT_URL", settings.template_parameters()["BedrockEndpointUrl"])
            monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
            function_settings.cache_clear()
            clients.forget()
            yield model
    function_settings.cache_clear()
    clients.forget()


def ask(model: str = MODEL) -> str:
    return converse.turn(model, "You are Robin.", [converse.user_message("Hi")], []).text


def test_a_function_reaches_the_model_with_the_developers_credentials(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    signed: list[str] = []
    send = URLLib3Session.send

    def note(self: Any, request: Any) -> Any:
        signed.append(f"{request.headers['Authorization']}")
        return send(self, request)

    with a_stack_with_a_model(monkeypatch, says("Hello."), THROTTLED, THROTTLED) as model:
        monkeypatch.setattr(URLLib3Session, "send", note)
        with pytest.raises(ModelFailed, match="AccessDeniedException"):
            ask("eu.amazon.nova-pro-v1:0")
        assert model.requests == []
        signed.clear()
        assert ask() == "Hello."
        with pytest.raises(ModelBusy, match="ThrottlingException"):
            ask()

    [request, *_] = model.requests
    assert request["modelId"] == MODEL
    theirs = [each for each in signed if "Credential=AKIADEVELOPER/" in each]
    assert len(theirs) == 3
    assert all("/eu-central-1/bedrock/aws4_request" in each for each in theirs)
    assert "Bedrock answered 429 ThrottlingException" in capsys.readouterr().out


def test_a_page_in_a_browser_cannot_use_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_stack_with_a_model(monkeypatch) as model:
        address = f"http://127.0.0.1:{StackSettings(port=PORT).model_port}/model/{MODEL}/converse"
        signature = {"authorization": "AWS4-HMAC-SHA256 Credential=x"}
        for headers in ({"content-type": "text/plain"}, {**signature, "host": "rebound.example.com"}):
            request = urllib.request.Request(address, json.dumps({"messages": []}).encode(), headers)
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code == 403
            refused.value.close()
    assert model.requests == []


def test_a_model_needs_credentials_a_region_and_an_id(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(Problem, match="MODEL needs AWS credentials"):
        bedrock.Bedrock()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIADEVELOPER")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "theirs")
    with pytest.raises(Problem, match="MODEL needs the AWS region"):
        bedrock.Bedrock()
    with pytest.raises(Problem, match="is not the id of a Bedrock model"):
        settings_for(PORT, model="nova lite")


def test_the_stack_may_call_the_models_that_its_parameters_name() -> None:
    settings = settings_for(PORT, "ReviewModelId=amazon.nova-micro-v1:0", model=MODEL)

    assert bedrock.models(settings) == {MODEL, "amazon.nova-micro-v1:0"}
    assert settings.template_parameters()["AgentModelId"] == MODEL
    assert "BedrockEndpointUrl" not in settings_for(PORT).template_parameters()
