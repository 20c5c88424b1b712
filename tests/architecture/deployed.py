"""What template.yaml deploys, as the rules read it: its functions by kind, their policies, paths and queues."""

import json
import re
from typing import Any

from scripts.template import loops_written_out
from tests.support.template import ROOT, policy_statements, template

RESOURCES: dict[str, Any] = template()["Resources"]
ALARMS: dict[str, Any] = loops_written_out(ROOT / "template" / "monitoring.yaml")["Resources"]
METHODS = {"get", "post", "put", "patch", "delete"}
UNSERVED_METHODS = {"head", "options"}


def of_type(kind: str) -> dict[str, Any]:
    return {
        name: resource
        for name, resource in RESOURCES.items()
        if isinstance(resource, dict) and resource.get("Type") == kind
    }


FUNCTIONS = of_type("AWS::Serverless::Function")
QUEUES = of_type("AWS::SQS::Queue")
DEAD_LETTERS = {name for name in QUEUES if name.endswith("DeadLetters")}
POLICIES = {
    name.removesuffix("Policy"): policy_statements(name.removesuffix("Policy"))
    for kind in ("AWS::IAM::ManagedPolicy", "AWS::IAM::Policy")
    for name in of_type(kind)
}
ACCOUNT_FUNCTIONS = {"Keys", "People", "Oauth"}
API_FUNCTIONS = {
    "Messages",
    "Conversations",
    "Customers",
    "Knowledge",
    "AgentSettings",
    "Analytics",
    "Signals",
    "Webhooks",
    "Tools",
    "Tasks",
    "Board",
    "Files",
    "Organizations",
    "Integrations",
    "SiteSettings",
    "Live",
} | ACCOUNT_FUNCTIONS
WORKERS = {
    "Fanout",
    "Facts",
    "Delivery",
    "AgentWorker",
    "KnowledgeIndexer",
    "Mailer",
    "SearchIndexer",
    "AutoResolve",
    "UploadCleanup",
    "AnalyticsExporter",
    "Timers",
    "Eraser",
    "Crawler",
    "ToolSync",
    "SignalWorker",
    "IntegrationWorker",
    "MailReceiver",
}
# They speak with the services of integrations, and reach single partitions.
SERVICE_FUNCTIONS = {"Connect", "Hooks"}
# It serves pages to anyone, and reaches single partitions.
PAGE_FUNCTIONS = {"Site", "SiteSignIn", "SiteSearch"}


def paths() -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES["Api"]["Properties"]["DefinitionBody"]["paths"]
    return found


def gateway_responses() -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES["Api"]["Properties"]["DefinitionBody"][
        "x-amazon-apigateway-gateway-responses"
    ]
    return found


def function_behind(path: str, method: str) -> str:
    uri = paths()[path][method]["x-amazon-apigateway-integration"]["uri"]
    [function] = re.findall(r"/functions/\$\{(\w+)\.Arn\}/invocations", str(uri))
    assert function in FUNCTIONS
    return str(function).removesuffix("Function")


def actions(statement: dict[str, Any]) -> list[str]:
    listed = statement["Action"]
    return [listed] if isinstance(listed, str) else listed


def denied(function: str, partition: str) -> set[str]:
    found: set[str] = set()
    for statement in POLICIES[function]:
        keys = (
            statement.get("Condition", {}).get("ForAnyValue:StringLike", {}).get("dynamodb:LeadingKeys", [])
        )
        if statement["Effect"] == "Deny" and partition in keys:
            found.update(actions(statement))
    return found


def allowed(function: str) -> dict[str, set[str]]:
    """Return the partitions that a function may touch, and the actions; every statement names partitions."""
    found: dict[str, set[str]] = {}
    for statement in POLICIES[function]:
        if "dynamodb:" not in json.dumps(statement):
            continue
        for partition in statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]:
            found.setdefault(partition, set()).update(actions(statement))
    return found
