"""Amazon Bedrock's Converse as tests see it: a model that is set, and its client with recorded responses."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from botocore.stub import Stubber

from helpdesk.platform import clients
from helpdesk.platform.settings import settings


@contextmanager
def a_model(monkeypatch: pytest.MonkeyPatch, model_id: str) -> Iterator[None]:
    """Set a model that answers, and credentials that sign for nobody."""
    for name, value in {
        "TABLE_NAME": "t",
        "AGENT_MODEL_ID": model_id,
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    clients.forget()
    yield
    settings.cache_clear()
    clients.forget()


@contextmanager
def stubbed() -> Iterator[Stubber]:
    """Stub the client; every response that was prepared must have been asked for at the end."""
    with Stubber(clients.bedrock()) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()
