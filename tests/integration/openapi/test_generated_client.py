"""A client that openapi-python-client makes from the document posts a message and reads it back."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support import effort
from tests.support.template import ROOT
from tests.support.wsgi import application

NAME = "helpdesk_api_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Generate the client into a folder of its own, from which it can be imported."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "config.yml").write_text(f"package_name_override: {NAME}\npost_hooks: []\n")
    command: list[str | Path] = [
        Path(sys.executable).with_name("openapi-python-client"),
        "generate",
        "--meta",
        "none",
    ]
    described = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    if not effort.of(0, 1):  # a client of every route takes ten seconds to generate
        described["paths"] = {"/v1/messages": described["paths"]["/v1/messages"]}
    (folder / "openapi.json").write_text(json.dumps(described), encoding="utf-8")
    command += ["--path", folder / "openapi.json", "--config", folder / "config.yml"]
    command += ["--output-path", folder / NAME, "--fail-on-warning"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def part(name: str) -> ModuleType:
    return importlib.import_module(f"{NAME}.{name}")


@pytest.fixture
def client(generated: None, organization: NewOrganization) -> Any:
    return part("client").AuthenticatedClient(
        base_url="http://helpdesk.test",
        token=organization.secret_key,
        httpx_args={"transport": httpx.WSGITransport(app=application)},
    )


def test_a_generated_client_posts_a_message_and_reads_it_back(client: Any) -> None:
    models = part("models")
    message = models.MessageInput(
        session="visitor-0001",
        body="Where do I find my invoices?",
        user=models.UserInput(name="Ada Lovelace", email="ada@example.com"),
    )

    accepted = part("api.messages.post_message").sync(client=client, body=message)
    history = part("api.messages.get_history").sync(client=client, session="visitor-0001")

    assert isinstance(accepted, models.MessageAccepted)
    [conversation] = history.conversations
    assert conversation.id == accepted.conversation_id
    assert [(each.sender, each.body) for each in conversation.messages] == [
        ("visitor", "Where do I find my invoices?")
    ]


def test_a_generated_client_identifies_a_refusal_by_its_code(client: Any) -> None:
    message = part("models").MessageInput(session="short", body="Hello")

    answer = part("api.messages.post_message").sync_detailed(client=client, body=message)

    assert answer.status_code == 400
    assert answer.parsed.error.code == "invalid_session"
