import pytest

from tests.integration.outbound.receivers import Authority


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Return a certificate authority that only the tests know."""
    return Authority.make(tmp_path_factory.mktemp("certificates"))
