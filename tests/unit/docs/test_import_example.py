"""The example that imports a folder of documents, run against a service that throttles it."""

import io
import json
import re
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "knowledge.md"


class Service:
    """Takes documents, and refuses every second request with 429."""

    def __init__(self) -> None:
        self.documents: list[dict[str, str]] = []
        self.requests = 0

    def urlopen(self, request: urllib.request.Request) -> Any:
        self.requests += 1
        assert request.full_url == "https://support.example.com/v1/knowledge/documents"
        assert request.get_header("Authorization") == "Bearer svc_key_x"
        if self.requests % 2 == 1:
            headers = Message()
            headers["Retry-After"] = str(self.requests)
            raise urllib.error.HTTPError(request.full_url, 429, "Too Many Requests", headers, io.BytesIO())
        assert isinstance(request.data, bytes)
        self.documents.append(json.loads(request.data))
        return io.BytesIO(json.dumps({"id": f"doc_{len(self.documents)}"}).encode())


def test_it_waits_as_long_as_the_service_says_and_imports_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs" / "inner").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("# Invoices\n\nUnder Account.\n")
    (tmp_path / "docs" / "empty.md").write_text("\n")
    (tmp_path / "docs" / "inner" / "b.md").write_text("\n## Refunds\n\nWithin a week.\n")
    service = Service()
    waits: list[int] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BASE_URL", "https://support.example.com")
    monkeypatch.setenv("KEY", "svc_key_x")
    monkeypatch.setattr(urllib.request, "urlopen", service.urlopen)
    monkeypatch.setattr("time.sleep", waits.append)
    example = re.search(
        r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert example is not None

    exec(compile(example[1], "knowledge.md", "exec"), {})

    assert [document["title"] for document in service.documents] == ["Invoices", "Refunds"]
    assert waits == [1, 3]
    assert capsys.readouterr().out.splitlines() == ["docs/a.md doc_1", "docs/inner/b.md doc_2"]
