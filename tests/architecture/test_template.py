"""Rules of the template: routes, restricted secrets, retries, dead letters and alarms."""

import json
import re
from typing import Any

import pytest

from helpdesk.admission.caller import Access
from helpdesk.platform.settings import EVERYWHERE
from scripts import resources
from scripts.openapi.routes import all_routes
from scripts.template import included, loops_written_out
from tests.support.api import function as function_module
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
    "Reconciler",
    "Timers",
    "Eraser",
    "Crawler",
    "ToolSync",
    "SignalWorker",
    "IntegrationWorker",
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


def test_every_function_is_in_the_lists_that_the_rules_below_run_over() -> None:
    touches_nothing = {"Docs", "NotFound"}

    assert {name.removesuffix("Function") for name in FUNCTIONS} == (
        API_FUNCTIONS | WORKERS | SERVICE_FUNCTIONS | PAGE_FUNCTIONS | touches_nothing
    )


@pytest.mark.parametrize("path", sorted(paths()))
def test_every_path_answers_every_method(path: str) -> None:
    assert set(paths()[path]) == METHODS | UNSERVED_METHODS


@pytest.mark.parametrize("path", sorted(paths()))
def test_a_method_that_no_route_has_goes_to_the_function_that_returns_404(path: str) -> None:
    assert {function_behind(path, method) for method in UNSERVED_METHODS} == {"NotFound"}


@pytest.mark.parametrize("path", sorted(paths()))
def test_a_group_is_one_function_at_its_root_and_under_it(path: str) -> None:
    root = path.removesuffix("{proxy+}").rstrip("/")
    if root == "/site":  # of no organization: its pages are under /site/{slug}
        return
    behind = {
        function_behind(each, method) for each in (root or "/", f"{root}/{{proxy+}}") for method in METHODS
    }

    assert len(behind) == 1


def test_unclaimed_paths_go_to_the_function_that_returns_404() -> None:
    assert {function_behind(path, "get") for path in ("/", "/{proxy+}", "/v1", "/v1/{proxy+}")} == {
        "NotFound"
    }


def test_the_gateways_own_refusals_are_error_objects() -> None:
    for name, response in gateway_responses().items():
        body = json.loads(response["responseTemplates"]["application/json"])
        assert body.keys() == {"error"}, name
        assert body["error"].keys() == {"code", "message"}, name


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        ("MISSING_AUTHENTICATION_TOKEN", 404, "not_found"),
        ("RESOURCE_NOT_FOUND", 404, "not_found"),
        ("BAD_REQUEST_BODY", 400, "invalid_json"),
        ("REQUEST_TOO_LARGE", 400, "invalid_request"),
        ("THROTTLED", 429, "rate_limited"),
        ("INTEGRATION_TIMEOUT", 500, "internal_error"),
    ],
)
def test_a_refusal_of_the_gateway_has_the_specifications_code(refusal: str, status: int, code: str) -> None:
    response = gateway_responses()[refusal]

    assert response["statusCode"] == status
    assert json.loads(response["responseTemplates"]["application/json"])["error"]["code"] == code


def test_a_throttled_response_says_when_to_retry() -> None:
    headers = gateway_responses()["THROTTLED"]["responseParameters"]

    assert headers["gatewayresponse.header.Retry-After"] == "'1'"


@pytest.mark.parametrize("name", ["Table", "KnowledgeBucket", "FilesBucket", "SearchBucket"])
def test_customer_data_outlives_the_stack(name: str) -> None:
    assert RESOURCES[name]["DeletionPolicy"] == "Retain"
    assert RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


def test_only_the_local_stage_may_send_webhooks_to_loopback_addresses() -> None:
    rule = template()["Rules"]["LoopbackUrlsStayLocal"]

    assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "AllowLoopbackUrls"}, "true"]}
    assert rule["Assertions"][0]["Assert"] == {"Fn::Equals": [{"Ref": "Stage"}, "local"]}
    assert template()["Parameters"]["AllowLoopbackUrls"]["Default"] == "false"


def test_sign_up_is_closed_unless_a_deployment_opens_it() -> None:
    assert template()["Parameters"]["SignUp"]["Default"] == "closed"


def test_retries_wait_as_the_specification_says() -> None:
    assert template()["Parameters"]["RetryDelaysSeconds"]["Default"] == "30,300,1800,7200"


def test_every_function_has_a_role_of_its_own() -> None:
    roles = [function["Properties"]["Role"]["Fn::GetAtt"] for function in FUNCTIONS.values()]

    assert len({str(role) for role in roles}) == len(FUNCTIONS)


def test_no_policy_allows_a_whole_service() -> None:
    wide = [
        (name, action)
        for name, statements in POLICIES.items()
        for statement in statements
        for action in actions(statement)
        if statement["Effect"] == "Allow" and "*" in action
    ]

    assert wide == []


@pytest.mark.parametrize("function", sorted(API_FUNCTIONS | WORKERS))
def test_secrets_are_read_where_they_are_used_and_written_where_they_are_made(function: str) -> None:
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    writes = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
    expected = {
        "Delivery": writes,
        "Mailer": writes,
        # It signs the calls of tools.
        "AgentWorker": writes,
        "Keys": reads,
        # An invitation's token; the page of an invitation removes it.
        "People": reads,
        "Oauth": reads,
        # Webhooks makes an endpoint's own secret, and removes it with the endpoint, without reading it.
        "Webhooks": reads,
        # They sign with secrets. Tools removes an endpoint's own, with the endpoint or for another key.
        "ToolSync": writes,
        "Tools": {"dynamodb:PutItem", "dynamodb:UpdateItem"},
    }

    assert denied(function, "ORG#*#SECRET") == expected.get(function, {"dynamodb:*"})


@pytest.mark.parametrize("function", sorted(API_FUNCTIONS | WORKERS))
@pytest.mark.parametrize("partition", ["ORG#*#TOKENS", "APPSECRET#*"])
def test_only_the_worker_of_integrations_reads_the_tokens_of_services(function: str, partition: str) -> None:
    everything = {"dynamodb:*"}
    of_the_worker: set[str] = WRITES if partition == "APPSECRET#*" else set()

    assert denied(function, partition) == (of_the_worker if function == "IntegrationWorker" else everything)


def allowed(function: str) -> dict[str, set[str]]:
    """Return the partitions that a function may touch, and the actions; every statement names partitions."""
    found: dict[str, set[str]] = {}
    for statement in POLICIES[function]:
        if "dynamodb:" not in json.dumps(statement):
            continue
        for partition in statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]:
            found.setdefault(partition, set()).update(actions(statement))
    return found


def test_the_function_that_takes_hooks_reads_the_apps_secrets_and_nothing_of_an_organization() -> None:
    assert allowed("Hooks") == {"APPSECRET#*": {"dynamodb:GetItem"}, "HOOK#*": {"dynamodb:PutItem"}}


def test_the_function_that_connects_writes_tokens_and_reads_none() -> None:
    assert allowed("Connect")["ORG#*#TOKENS"] == {"dynamodb:PutItem", "dynamodb:UpdateItem"}
    assert allowed("Connect")["OAUTH#BROWSER#*"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
    assert allowed("Connect")["PERSON#*"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}


def test_the_pages_of_help_sites_reach_what_they_show_and_what_visitors_write() -> None:
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    writes = {"dynamodb:PutItem", "dynamodb:UpdateItem"}
    check, delete = {"dynamodb:ConditionCheckItem"}, {"dynamodb:DeleteItem"}

    pages = {"SLUG#*", "ORG#*#ORG", "ORG#*#SITE", "ORG#*#FOLDER"}
    assert allowed("Site") == {
        **dict.fromkeys(pages, reads),
        "ORG#*#PAGE": reads | {"dynamodb:UpdateItem"},
        "ORG#*#PAGERATING#*": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
        "ORG#*#SITESESSION#*": reads,
        "ORG#*#POSTS#*": {"dynamodb:Query"},
        **dict.fromkeys(("ORG#*#BOARD", "ORG#*#IDEMPOTENCY#*"), reads | writes | check),
        **dict.fromkeys(("ORG#*#POSTNUMBER#*", "ORG#*#SESSION#*", "ORG#*#CONV#*"), reads | writes),
        "ORG#*#POST#*": reads | writes | delete,
        "ORG#*#CUS#*": reads | writes | check | delete,
        **dict.fromkeys(("ADDRESS#*", "ORG#*#RATINGS", "ORG#*#JOB#*", "ORG#*#EVENT#*"), writes),
    }
    assert allowed("SiteSearch") == {
        **dict.fromkeys(
            (*pages, "ORG#*#SITESESSION#*", "ORG#*#CUS#*", "ORG#*#PAGE", "ORG#*#KNOWLEDGE"), reads
        ),
        "ADDRESS#*": {"dynamodb:PutItem", "dynamodb:UpdateItem"},
        "ORG#*#SEARCHGAP#*": {"dynamodb:PutItem", "dynamodb:UpdateItem"},
    }


def test_sign_in_to_help_sites_reaches_what_proves_who_someone_is_and_no_conversation() -> None:
    reached = allowed("SiteSignIn")

    assert reached["ORG#*#SITESECRET"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    assert reached.keys() == {
        *("SLUG#*", "ORG#*#ORG", "ORG#*#SITE", "ORG#*#SITESECRET", "ORG#*#SITETOKEN#*", "ORG#*#SITECODE#*"),
        *("ORG#*#SITESESSION#*", "ORG#*#IDENTITY#*", "ORG#*#CUS#*", "ORG#*#SESSION#*", "ORG#*#JOB#*"),
        *("ORG#*#BUCKET", "ADDRESS#*", "MAILCEILING#*"),
    }


@pytest.mark.parametrize("function", sorted(API_FUNCTIONS | WORKERS))
def test_no_other_function_reads_what_sign_ins_are_proved_with(function: str) -> None:
    makers = {"Keys", "SiteSettings"}
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}

    found = denied(function, "ORG#*#SITESECRET")
    assert found == reads if function in makers else "dynamodb:*" in found


WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}


@pytest.mark.parametrize("function", sorted(API_FUNCTIONS - ACCOUNT_FUNCTIONS))
@pytest.mark.parametrize("partition", ["TOKEN#*", "PERSON#*", "LEGACYKEY#*", "ORG#*#MEMBER", "ORG#*#KEY"])
def test_only_the_account_functions_make_or_change_credentials(function: str, partition: str) -> None:
    assert denied(function, partition) == WRITES


@pytest.mark.parametrize("function", sorted((API_FUNCTIONS | WORKERS) - {"People", "Oauth"}))
@pytest.mark.parametrize("partition", ["OAUTH#*", "EMAIL#*", "INVITE#*"])
def test_only_two_functions_read_sign_in_data(function: str, partition: str) -> None:
    assert denied(function, partition) == {"dynamodb:*"}


def test_tokens_are_made_by_the_oauth_server_alone() -> None:
    assert denied("Oauth", "TOKEN#*") == set()
    assert denied("People", "TOKEN#*") == {"dynamodb:PutItem", "dynamodb:DeleteItem"}
    assert denied("Keys", "TOKEN#*") == WRITES


@pytest.mark.parametrize("partition", ["ORG#*#KEY", "ORG#*#ALLOWANCE#*", "LEGACYKEY#*"])
def test_the_oauth_server_reaches_no_key(partition: str) -> None:
    assert denied("Oauth", partition) == {"dynamodb:*"}


def test_only_three_functions_send_mail_and_only_from_the_address_that_was_set() -> None:
    reach = {name for name, statements in POLICIES.items() if "ses:" in json.dumps(statements)}

    assert reach == {"OauthMail", "MailerMail", "SiteSignInMail"}
    for name in reach:
        [statement] = POLICIES[name]
        assert statement["Condition"] == {"StringEquals": {"ses:FromAddress": {"Ref": "MailFrom"}}}
        assert RESOURCES[f"{name}Policy"]["Condition"] == "HasMail"


def test_the_worker_that_knows_who_speaks_in_a_chat_reads_members_and_changes_none() -> None:
    assert denied("IntegrationWorker", "ORG#*#MEMBER") == WRITES


@pytest.mark.parametrize("function", sorted(WORKERS))
def test_no_worker_sees_a_persons_token(function: str) -> None:
    assert denied(function, "TOKEN#*") == {"dynamodb:*"}


def test_of_the_indexes_a_function_reads_the_partitions_that_it_lists_and_no_other() -> None:
    read = {
        name: set(statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
        for name, statements in POLICIES.items()
        for statement in statements
        if "/index/" in json.dumps(statement)
    }

    assert "/index/*" not in json.dumps(POLICIES)
    assert read == {
        "Site": {"ORG#*#POSTS#*"},
        "Conversations": {"ORG#*#INBOX#*", "ORG#*#CUSCONVS#*", "ORG#*#ASSIGNED#*", "ORG#*#APPROVALS#*"},
        "Customers": {"ORG#*#CUSTOMERS", "ORG#*#CUSCONVS#*", "ORG#*#CUSREPORTS#*"},
        "Knowledge": {"ORG#*#DOCUMENTS#*", "ORG#*#SUGGESTIONS#*"},
        "KnowledgeIndexer": {"ORG#*#DOCUMENTS#*"},
        "SiteSettings": {"ORG#*#SEARCHGAPS"},
        "Signals": {"ORG#*#SIGNALS", "ORG#*#SIGNALS#*", "ORG#*#REPORTERS#*", "ORG#*#COLUMN#*"},
        "SignalWorker": {"ORG#*#CUSCONVS#*"},
        "Tasks": {"ORG#*#COLUMN#*", "ORG#*#REQUESTS"},
        "Board": {"ORG#*#POSTS#*"},
        "Webhooks": {"ORG#*#EVENTS"},
        "Organizations": {"ORG#*#LOG#*"},
        "AutoResolve": {"AUTORESOLVE#*", "ORG#*#INBOX#*"},
        "UploadCleanup": {"UNATTACHED#*"},
        "AgentWorker": {"ORG#*#COLUMN#*"},
        "IntegrationWorker": {"ORG#*#COLUMN#*", "ORG#*#REPORTERS#*", "CONNECTIONS#*"},
        "Timers": {"WAKE#*", "DUEAPPROVALS#*", "DUERUNS#*", "DUESYNCS#*"},
        "Facts": {"ORG#*#CUSCONVS#*"},
        "Eraser": {"RETAINING#*", "ORG#*#INBOX#*", "ORG#*#CUSCONVS#*", "ORG#*#CUSREPORTS#*"},
        "Crawler": {"DUECRAWLS#*"},
        "Reconciler": {"PENDING#*", "OUTBOX#*"},
    }


@pytest.mark.parametrize("function", ["Conversations", "Timers"])
def test_functions_that_end_snoozes_remove_items_of_conversations_only(function: str) -> None:
    [statement] = [
        each
        for each in POLICIES[function]
        if "dynamodb:DeleteItem" in actions(each) and each["Effect"] == "Allow"
    ]

    assert statement["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["ORG#*#CONV#*"]}}


def test_who_disconnects_an_account_removes_connections_only() -> None:
    [statement] = [
        each
        for each in POLICIES["Integrations"]
        if "dynamodb:DeleteItem" in actions(each) and each["Effect"] == "Allow"
    ]

    # And no webhook endpoint, beside which it is written whether the chat mirror follows conversations.
    assert statement["Condition"] == {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["ORG#*#INTEGRATION", "SERVICEACCOUNT#*"]}
    }


def test_the_eraser_removes_only_personal_data() -> None:
    removed = {
        actions(statement)[0]: set(statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
        for statement in POLICIES["Eraser"]
        if statement["Effect"] == "Allow"
        and {"dynamodb:DeleteItem", "dynamodb:BatchWriteItem"} & set(actions(statement))
    }

    assert removed == {
        "dynamodb:DeleteItem": {
            "ORG#*#CUS#*",
            "ORG#*#CONV#*",
            "ORG#*#MIRROR#*",
            "ORG#*#IDENTITY#*",
            "ORG#*#COMMUNITY#*",
            "ORG#*#MISSED#*",
            "ORG#*#SESSION#*",
            "ORG#*#FILE#*",
            "ORG#*#RATINGS",
            "ORG#*#SUGGESTION",
            "ORG#*#SIGNAL#*",
            "ORG#*#IDEMPOTENCY#*",
            "ORG#*#ANALYTICS#*",
            "ORG#*#POST#*",
            "ORG#*#POSTNUMBER#*",
        },
        "dynamodb:BatchWriteItem": {
            "ORG#*#EVENT#*",
            "ORG#*#DELIVERY#*",
            "ORG#*#ANALYTICS#*",
            "ORG#*#POST#*",
            "ORG#*#CUS#*",
        },
    }


def test_only_eight_functions_reach_the_knowledge_bucket() -> None:
    reach = {name for name, statements in POLICIES.items() if "KnowledgeBucket" in json.dumps(statements)}

    assert reach == {
        "Knowledge",
        "AgentSettings",
        "AgentWorker",
        "KnowledgeIndexer",
        "Crawler",
        "IntegrationWorker",
        "Site",
        "SiteSearch",
    }


def test_functions_that_search_reach_the_inbox_index_and_two_write_it() -> None:
    reach = {name for name, statements in POLICIES.items() if "SearchBucket" in json.dumps(statements)}
    writes = {
        name
        for name in reach
        for statement in POLICIES[name]
        if "SearchBucket" in json.dumps(statement)
        and {"s3:PutObject", "s3:DeleteObject"} & set(actions(statement))
    }

    assert reach == {
        "Conversations",
        "Customers",
        "Signals",
        "Tasks",
        "Board",
        "Site",
        "SearchIndexer",
        "Eraser",
    }
    assert writes == {"SearchIndexer", "Eraser"}


def test_each_function_that_copies_the_inbox_index_has_storage_for_it() -> None:
    room = {
        name: function["Properties"].get("EphemeralStorage", {"Size": 512})["Size"]
        for name, function in FUNCTIONS.items()
        if "SEARCH_BUCKET" in function["Properties"].get("Environment", {}).get("Variables", {})
    }
    assert room == {
        "ConversationsFunction": 2048,
        "CustomersFunction": 2048,
        "SignalsFunction": 2048,
        "TasksFunction": 2048,
        "BoardFunction": 2048,
        "SiteFunction": 2048,
        "SearchIndexerFunction": 2048,
        "EraserFunction": 2048,
    }


def test_a_model_may_be_called_only_by_those_that_need_it_and_only_when_one_is_chosen() -> None:
    reach = {name for name, statements in POLICIES.items() if "bedrock:" in json.dumps(statements)}

    assert reach == {"AgentWorkerModel", "ReviewModel", "Guardrail", "EmbeddingModel"}
    assert RESOURCES["AgentWorkerModelPolicy"]["Condition"] == "HasAgentModel"
    assert RESOURCES["ReviewModelPolicy"]["Condition"] == "HasReviewModel"
    assert RESOURCES["ReviewModelPolicy"]["Properties"]["Roles"] == [{"Ref": "AgentWorkerRole"}]
    assert RESOURCES["GuardrailPolicy"]["Condition"] == "HasGuardrail"
    assert RESOURCES["EmbeddingModelPolicy"]["Condition"] == "HasEmbeddingModel"
    assert RESOURCES["EmbeddingModelPolicy"]["Properties"]["Roles"] == [
        {"Ref": "AgentWorkerRole"},
        {"Ref": "AgentSettingsRole"},
        {"Ref": "KnowledgeIndexerRole"},
        {"Ref": "SignalsRole"},
        {"Ref": "SignalWorkerRole"},
        {"Ref": "SiteSearchRole"},
    ]


def with_layer(layer: str) -> set[str]:
    """Return the functions that have a layer of their own."""
    return {
        name
        for name, resource in RESOURCES.items()
        if {"Ref": layer} in resource.get("Properties", {}).get("Layers", [])
    }


def test_each_function_that_reads_an_index_and_no_other_has_the_layer_of_the_search_library() -> None:
    searching = {
        name
        for name, resource in RESOURCES.items()
        if resource["Type"] == "AWS::Serverless::Function"
        and "SEARCH_BUCKET" in resource["Properties"]["Environment"]["Variables"]
    }

    # These read the index of the knowledge base.
    assert with_layer("SearchEngineLayer") == searching | {
        "AgentSettingsFunction",
        "AgentWorkerFunction",
        "KnowledgeIndexerFunction",
        "SiteSearchFunction",
    }


def test_only_functions_that_search_or_index_documents_have_the_layer_of_sentence_vectors() -> None:
    assert with_layer("SentenceVectorsLayer") == {
        "AgentSettingsFunction",
        "AgentWorkerFunction",
        "KnowledgeIndexerFunction",
        "SignalsFunction",
        "SignalWorkerFunction",
        "SiteSearchFunction",
    }


def test_only_functions_that_sign_or_verify_for_others_have_the_layer_of_signatures() -> None:
    assert with_layer("SignaturesLayer") == {
        "HooksFunction",
        "IntegrationWorkerFunction",
        "SiteSignInFunction",
    }


def test_each_function_that_calls_other_servers_has_the_http_client() -> None:
    # These resolve the names of others, within limits of their own. One has five layers, and carries the client itself.
    calling = {
        name
        for name, resource in RESOURCES.items()
        if resource["Type"] == "AWS::Serverless::Function"
        and "RES_OPTIONS" in resource["Properties"]["Environment"]["Variables"]
    }

    assert with_layer("HttpClientLayer") == calling - {"AgentWorkerFunction"}


@pytest.mark.parametrize("queue", sorted(set(QUEUES) - DEAD_LETTERS))
def test_every_queue_moves_a_message_to_its_dead_letters_after_five_failures(queue: str) -> None:
    redrive = QUEUES[queue]["Properties"]["RedrivePolicy"]
    dead_letters = queue.removesuffix("Queue") + "DeadLetters"

    assert redrive == {"deadLetterTargetArn": {"Fn::GetAtt": [dead_letters, "Arn"]}, "maxReceiveCount": 5}


@pytest.mark.parametrize("queue", sorted(DEAD_LETTERS))
def test_dead_letters_are_kept_for_fourteen_days(queue: str) -> None:
    assert QUEUES[queue]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_every_dead_letter_queue_has_an_alarm() -> None:
    watched = {
        alarm["Properties"]["Dimensions"][0]["Value"]
        for name, alarm in ALARMS.items()
        if name.endswith("DeadLettersAlarm")
    }
    queues = {
        queue["Properties"]["QueueName"].replace("${AWS::StackName}", "${Application}")
        for name, queue in QUEUES.items()
        if name in DEAD_LETTERS
    }

    assert watched == queues


def test_every_function_has_a_log_group_and_alarms() -> None:
    for function in FUNCTIONS:
        name = function.removesuffix("Function")
        group = RESOURCES[f"{name}LogGroup"]["Properties"]["LogGroupName"]
        assert group == f"/aws/lambda/${{AWS::StackName}}-{name}"
        assert FUNCTIONS[function]["Properties"]["FunctionName"] == f"${{AWS::StackName}}-{name}"
        for alarm in (f"{name}ErrorsAlarm", f"{name}ThrottlesAlarm"):
            [dimension] = ALARMS[alarm]["Properties"]["Dimensions"]
            assert dimension["Value"] == f"${{Application}}-{name}", alarm


def test_a_message_is_hidden_for_six_times_its_functions_timeout_and_while_its_batch_fills() -> None:
    for name, function in FUNCTIONS.items():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] != "SQS":
                continue
            queue = event["Properties"]["Queue"]["Fn::GetAtt"][0]
            hidden = QUEUES[queue]["Properties"]["VisibilityTimeout"]
            fills = event["Properties"].get("MaximumBatchingWindowInSeconds", 0)
            assert hidden == 6 * function["Properties"]["Timeout"] + fills, f"{name} and {queue}"


def test_every_worker_reports_which_items_of_a_batch_failed() -> None:
    for function in FUNCTIONS.values():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] != "Schedule":
                assert event["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_only_new_outbox_items_and_lines_without_an_event_invoke_fan_out() -> None:
    [pattern] = FUNCTIONS["FanoutFunction"]["Properties"]["Events"]["Outbox"]["Properties"]["FilterCriteria"][
        "Filters"
    ]

    assert json.loads(pattern["Pattern"]) == {
        "eventName": ["INSERT"],
        "dynamodb": {"NewImage": {"entity": {"S": ["outbox", "line"]}}},
    }


@pytest.mark.parametrize(("reader", "event"), [("Fanout", "Outbox"), ("Facts", "Changes")])
def test_a_poison_record_never_blocks_the_stream(reader: str, event: str) -> None:
    stream = FUNCTIONS[f"{reader}Function"]["Properties"]["Events"][event]["Properties"]

    assert stream["BisectBatchOnFunctionError"] is True
    # The function dead-letters unreadable records itself. Retries serve outages, which end.
    assert stream["MaximumRetryAttempts"] == -1
    assert stream["MaximumRecordAgeInSeconds"] == 21_600
    assert stream["DestinationConfig"]["OnFailure"]["Destination"] == {
        "Fn::GetAtt": [f"{reader}DeadLetters", "Arn"]
    }


def test_the_sender_may_feed_its_own_queue() -> None:
    assert FUNCTIONS["DeliveryFunction"]["Properties"]["RecursiveLoop"] == "Allow"


# Read by libraries and not by the settings: Powertools, and the resolver of names (docs/decisions/0050).
_OF_LIBRARIES = {
    "POWERTOOLS_SERVICE_NAME",
    "POWERTOOLS_LOG_LEVEL",
    "POWERTOOLS_METRICS_NAMESPACE",
    "RES_OPTIONS",
}


def test_a_functions_environment_has_the_variables_that_it_declares() -> None:
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    for name, resource in FUNCTIONS.items():
        folder = resource["Properties"]["CodeUri"].removeprefix("functions/")
        own = resource["Properties"]["Environment"]["Variables"]
        assert {*shared, *own} - _OF_LIBRARIES == {*EVERYWHERE, *function_module(folder).NEEDS}, name


def test_no_part_of_the_template_is_longer_than_a_reader_can_keep_in_mind() -> None:
    for path in (ROOT / "template.yaml", *(ROOT / "template").iterdir()):
        assert len(path.read_text().splitlines()) <= 700, path.name


def test_the_included_resources_are_those_of_the_parts() -> None:
    written = resources.RESOURCES.read_text(encoding="utf-8")

    assert written == resources.text(resources.sources()), "Run: make openapi"


def test_two_parts_do_not_define_one_resource() -> None:
    with pytest.raises(ValueError, match=r"template/queues\.yaml repeats Table of another part"):
        resources.text({"data.yaml": "Table: {Type: AWS::DynamoDB::Table}", "queues.yaml": "Table: {}"})


def test_every_function_can_reserve_executions_and_reserves_none_by_default() -> None:
    written = included()["Resources"]  # with its conditions
    for name in FUNCTIONS:
        own = name.removesuffix("Function")
        parameter = f"{own}ReservedConcurrency"
        assert template()["Parameters"][parameter]["Default"] == 0, name
        assert written[name]["Properties"]["ReservedConcurrentExecutions"] == {
            "Fn::If": [f"Reserves{own}", {"Ref": parameter}, {"Ref": "AWS::NoValue"}]
        }
        assert template()["Conditions"][f"Reserves{own}"] == {
            "Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, "0"]}]
        }


def test_the_gateway_throttles_the_stage_and_every_route_without_a_credential() -> None:
    settings = {
        (each["ResourcePath"].replace("~1", "/").replace("//", "/"), each["HttpMethod"]): each
        for each in RESOURCES["Api"]["Properties"]["MethodSettings"]
    }
    anonymous = {
        (group if route.path == group else f"{group}/{{proxy+}}", route.method)
        for route in all_routes()
        for group in ["/".join(route.path.split("/")[:3])]
        if route.access is Access.PUBLIC
    } | {
        *(("/site/{slug}", "GET"), ("/site/{slug}/{proxy+}", "GET"), ("/site/{slug}/{proxy+}", "POST")),
        *(("/site/{slug}/sign-in", method) for method in ("GET", "POST")),
        *(("/site/{slug}/sign-in/{proxy+}", method) for method in ("GET", "POST")),
        ("/site/{slug}/search", "GET"),
    }
    paths = RESOURCES["Api"]["Properties"]["DefinitionBody"]["paths"]

    throttled = {
        route: each["ThrottlingRateLimit"]["Ref"] for route, each in settings.items() if route[0] != "/*"
    }
    assert throttled == dict.fromkeys(anonymous, "AnonymousRequestsPerSecond") | {
        ("/v1/uploads", "POST"): "UploadsPerSecond"
    }
    assert {path for path, _ in throttled} <= set(paths)
    assert settings["/*", "*"]["ThrottlingRateLimit"] == {"Ref": "RequestsPerSecond"}
    assert all(each["MetricsEnabled"] and "ThrottlingBurstLimit" in each for each in settings.values())
