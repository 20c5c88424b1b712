"""Rules of a deployment to AWS that no emulator holds: its settings, logs and metrics, and who may send mail."""

import re
import tomllib
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from scripts.template import included
from tests.architecture.deployed import ALARMS, POLICIES, QUEUES, actions, of_type
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


def test_ses_writes_mail_that_came_in_by_the_rule_of_the_stack_and_nothing_else() -> None:
    statements = included()["Resources"]["FilesBucketPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    [(condition, statement, _)] = [each["Fn::If"] for each in statements if "Fn::If" in each]

    assert condition == "HasInboundRule"
    assert statement["Principal"] == {"Service": "ses.amazonaws.com"}
    assert (statement["Action"], statement["Resource"]) == (
        "s3:PutObject",
        {"Fn::Sub": "${FilesBucket.Arn}/inbound/*"},
    )
    assert statement["Condition"]["StringEquals"]["aws:SourceAccount"] == {"Ref": "AWS::AccountId"}
    rule = str(statement["Condition"]["StringEquals"]["aws:SourceArn"])
    assert ":receipt-rule-set/${InboundRuleSet}:receipt-rule/${AWS::StackName}" in rule


def test_only_the_topic_of_mail_events_sends_to_their_queue_and_only_ses_publishes_to_it() -> None:
    resources = included()["Resources"]
    of_queue = resources["MailEventsQueuePolicy"]["Properties"]["PolicyDocument"]["Statement"]
    of_topic = resources["MailEventsTopicPolicy"]["Properties"]["PolicyDocument"]["Statement"]

    [sends] = [each for each in of_queue if each.get("Effect") == "Allow"]
    assert sends["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Ref": "MailEventsTopic"}}}
    [publishes] = of_topic
    assert publishes["Principal"] == {"Service": "ses.amazonaws.com"}
    assert publishes["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_a_queue_has_one_policy_which_refuses_requests_without_tls() -> None:
    # AWS keeps one policy of a queue: a second would replace the first.
    policies = [each["Properties"] for each in of_type("AWS::SQS::QueuePolicy").values()]
    refused = [queue["Ref"] for each in policies for queue in each["Queues"] if "TlsOnly" in str(each)]

    assert sorted(refused) == sorted(QUEUES)
    assert len(policies) == len(QUEUES)


def test_the_reputation_of_ses_is_watched_before_aws_reviews_the_account() -> None:
    # AWS reviews an account from 5 % of bounces or 0.1 % of complaints on.
    watched = {
        alarm["Properties"]["MetricName"]: (alarm["Properties"]["Threshold"], alarm["Condition"])
        for alarm in ALARMS.values()
        if alarm["Properties"].get("Namespace") == "AWS/SES"
    }

    assert watched == {
        "Reputation.BounceRate": (0.02, "SendsMail"),
        "Reputation.ComplaintRate": (0.0005, "SendsMail"),
    }


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
