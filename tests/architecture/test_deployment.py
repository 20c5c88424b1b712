"""Rules of a deployment to AWS that no emulator holds: its settings, logs and metrics, and who may send mail."""

import re
import tomllib
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from scripts.template import included
from tests.architecture.deployed import POLICIES, QUEUES, actions
from tests.support.template import ROOT

STAGES: dict[str, Any] = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
DASHBOARD: str = yaml_parse((ROOT / "template" / "monitoring.yaml").read_text(encoding="utf-8"))["Resources"][
    "Dashboard"
]["Properties"]["DashboardBody"]["Fn::Sub"]


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_what_is_built_has_the_parameters_of_what_is_deployed(stage: str) -> None:
    # `sam build` installs packages for the parameter Architecture, and reads no other command's section.
    sections = STAGES[stage]

    assert f"Stage={stage}" in sections["global"]["parameters"]["parameter_overrides"]
    assert "parameter_overrides" not in {*sections["build"]["parameters"], *sections["deploy"]["parameters"]}


def test_the_region_is_that_of_the_other_tools_of_aws() -> None:
    # SAM CLI does not read AWS_REGION, which the guides set.
    recipe = (
        (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndeploy: ")[2].partition("\n.PHONY")[0]
    )

    assert 'sam deploy --config-env $(ENV) $${AWS_REGION:+--region "$$AWS_REGION"}' in recipe


def test_lambda_lets_the_lines_of_metrics_pass_at_every_log_level() -> None:
    # A line without a level counts as INFO, and the alarms watch what is read from those lines.
    settings = included()["Globals"]["Function"]["LoggingConfig"]

    assert settings["ApplicationLogLevel"] == {"Fn::If": ["LogsDebug", "DEBUG", "INFO"]}
    assert included()["Conditions"]["LogsDebug"] == {"Fn::Equals": [{"Ref": "LogLevel"}, "DEBUG"]}


@pytest.mark.parametrize("name", ["OauthMail", "MailerMail", "SiteSignInMail"])
def test_mail_goes_out_from_an_identity_that_has_a_configuration_set(name: str) -> None:
    # SES authorizes the identity and its default configuration set each.
    [statement] = [each for each in POLICIES[name] if "ses:SendEmail" in actions(each)]

    assert [str(arn).rsplit(":", 1)[-1] for arn in statement["Resource"]] == [
        "identity/*",
        "configuration-set/*",
    ]


def test_a_guardrail_of_the_standard_tier_may_be_applied_in_other_regions() -> None:
    # Such a guardrail has a profile, and Bedrock authorizes it in each region of the profile.
    [statement] = POLICIES["Guardrail"]

    assert [str(arn).split(":bedrock:", 1)[-1] for arn in statement["Resource"]] == [
        "${AWS::Region}:${AWS::AccountId}:guardrail/${GuardrailId}",
        "*:${AWS::AccountId}:guardrail-profile/*",
    ]


def test_the_dashboard_shows_every_queue_and_its_dead_letters() -> None:
    shown = set(re.findall(r'"\$\{Application\}-([\w.-]+)"', DASHBOARD))
    names = {queue["Properties"]["QueueName"].removeprefix("${AWS::StackName}-") for queue in QUEUES.values()}

    assert names <= shown
