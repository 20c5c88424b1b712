import pytest

from tests.integration.outbound.receivers import Authority
from tests.integration.outbound.senders import Mode


@pytest.fixture(params=[False, True], ids=["new connection", "kept connection"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a test twice: on new connections, and on kept ones."""
    monkeypatch.setattr(Mode, "kept", request.param)
    return bool(request.param)


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Return a certificate authority that only the tests know."""
    return Authority.make(tmp_path_factory.mktemp("certificates"))
