"""Settings: what a function declares must be set where it starts."""

import pytest

from helpdesk.platform.settings import MissingSettings, Settings, declare

BASE = {
    "STAGE": "dev",
    "TABLE_NAME": "helpdesk",
    "LOCAL_ENDPOINT_URL": "",
    "FAIR_USE_NOTICE_MINUTES": "10",
    "PROXY_SECRET_HASH": "",
}


@pytest.fixture
def in_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "helpdesk-Files")
    for name, value in BASE.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("in_lambda")
def test_a_function_whose_variables_are_set_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILES_BUCKET", "files")

    assert declare("FILES_BUCKET") == ("FILES_BUCKET",)


@pytest.mark.usefixtures("in_lambda")
def test_a_variable_that_is_not_set_ends_the_start_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FILES_BUCKET", raising=False)
    monkeypatch.delenv("TABLE_NAME")

    with pytest.raises(MissingSettings, match="not set: TABLE_NAME, FILES_BUCKET"):
        declare("FILES_BUCKET")


@pytest.mark.usefixtures("in_lambda")
def test_an_empty_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "")

    declare("MAIL_FROM")


def test_outside_of_lambda_nothing_has_to_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_NAME", raising=False)
    monkeypatch.delenv("FILES_BUCKET", raising=False)

    assert declare("FILES_BUCKET") == ("FILES_BUCKET",)


@pytest.mark.parametrize("field", ["table_name", "files_bucket", "agent_queue_url", "dead_letters_url"])
def test_reading_a_required_variable_that_is_not_set_is_an_error(field: str) -> None:
    with pytest.raises(MissingSettings):
        getattr(Settings({}), field)


def test_numbers_and_addresses_are_read_from_their_text() -> None:
    read = Settings({"LONGEST_HOP_SECONDS": "7", "BASE_URL": "https://support.example.com/"})

    assert read.longest_hop_seconds == 7
    assert read.base_url == "https://support.example.com"


def test_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Settings({}).environment = {}  # type: ignore[misc] # that it cannot be assigned is what is tested


@pytest.mark.parametrize(("stage", "allowed"), [("local", True), ("dev", False)])
def test_loopback_addresses_are_allowed_on_a_laptop_only(stage: str, allowed: bool) -> None:
    assert Settings({"STAGE": stage, "ALLOW_LOOPBACK_URLS": "true"}).allow_loopback_urls is allowed


@pytest.mark.parametrize(("stage", "address"), [("local", "http://172.17.0.1:4566"), ("prod", None)])
def test_the_emulator_is_asked_on_a_laptop_only(stage: str, address: str | None) -> None:
    url = "http://172.17.0.1:4566"
    settings = Settings({"STAGE": stage, "LOCAL_ENDPOINT_URL": url, "BEDROCK_ENDPOINT_URL": url})

    assert settings.local_endpoint_url == address
    assert settings.bedrock_endpoint_url == address


def test_the_agents_own_model_judges_tool_calls_unless_another_is_set() -> None:
    assert Settings({"AGENT_MODEL_ID": "a"}).review_model_id == "a"
    assert Settings({"AGENT_MODEL_ID": "a", "REVIEW_MODEL_ID": "b"}).review_model_id == "b"
