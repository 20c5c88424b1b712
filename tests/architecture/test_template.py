"""Rules of the template: paths and their functions, what outlives the stack, indexes and buckets, layers, limits."""

import json

import pytest

from helpdesk.api.admission.caller import Access
from helpdesk.platform.settings import EVERYWHERE, Settings
from scripts import resources
from scripts.openapi.routes import all_routes
from scripts.template import included
from tests.architecture.deployed import (
    API_FUNCTIONS,
    FUNCTIONS,
    METHODS,
    PAGE_FUNCTIONS,
    POLICIES,
    RESOURCES,
    SERVICE_FUNCTIONS,
    UNSERVED_METHODS,
    WORKERS,
    actions,
    function_behind,
    gateway_responses,
    paths,
)
from tests.support.api import function as function_module
from tests.support.template import MOST_LINES_OF_A_PART, ROOT, template


def test_every_function_is_in_the_lists_that_the_rules_below_run_over() -> None:
    touches_nothing = {"Docs", "NotFound", "Console"}

    assert {name.removesuffix("Function") for name in FUNCTIONS} == (
        API_FUNCTIONS | WORKERS | SERVICE_FUNCTIONS | PAGE_FUNCTIONS | touches_nothing
    )


@pytest.mark.parametrize("path", sorted(paths()))
def test_every_path_answers_every_method(path: str) -> None:
    assert set(paths()[path]) == METHODS | UNSERVED_METHODS


@pytest.mark.parametrize("path", sorted(paths()))
def test_a_method_that_no_route_has_goes_to_the_function_that_returns_404(path: str) -> None:
    behind = {method: function_behind(path, method) for method in UNSERVED_METHODS}
    if behind["head"] == function_behind(path, "get"):
        del behind["head"]  # the test below names these paths

    assert set(behind.values()) == {"NotFound"}


def test_the_console_and_the_pages_of_help_sites_answer_head_and_the_steps_of_a_sign_in_do_not() -> None:
    behind = {path: function_behind(path, "head") for path in paths()}

    assert {path for path, function in behind.items() if function != "NotFound"} == {
        "/site",
        "/site/{slug}",
        "/site/{slug}/{proxy+}",
        "/site/{slug}/search",
        "/site/{slug}/sign-in",
        "/console",
        "/console/{proxy+}",
    }


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

    assert response["statusCode"] == str(status)  # documented as a string
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


def test_production_is_not_deployed_without_a_sender_of_mail() -> None:
    rule = template()["Rules"]["ProductionSendsMail"]

    assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}
    assert rule["Assertions"][0]["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "MailFrom"}, ""]}]}


def test_retries_wait_as_the_specification_says() -> None:
    assert template()["Parameters"]["RetryDelaysSeconds"]["Default"] == "30,300,1800,7200"


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
        {"Ref": "KnowledgeRole"},
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
        "KnowledgeFunction",
        "KnowledgeIndexerFunction",
        "SiteSearchFunction",
    }


def test_only_functions_that_search_or_index_documents_have_the_layer_of_sentence_vectors() -> None:
    assert with_layer("SentenceVectorsLayer") == {
        "AgentSettingsFunction",
        "AgentWorkerFunction",
        "KnowledgeFunction",
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


# Read by libraries and not by the settings: Powertools, and the resolver of names (docs/decisions/0050).
_OF_LIBRARIES = {
    "POWERTOOLS_SERVICE_NAME",
    "POWERTOOLS_LOG_LEVEL",
    "POWERTOOLS_METRICS_NAMESPACE",
    "RES_OPTIONS",
}


def test_the_template_sets_every_variable_that_the_settings_read() -> None:
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    written = {
        name for each in FUNCTIONS.values() for name in each["Properties"]["Environment"]["Variables"]
    } | shared.keys()
    read = {each.variable for each in vars(Settings).values() if hasattr(each, "variable")}

    assert read > {"TABLE_NAME"}
    assert read - written == set()


def test_a_functions_environment_has_the_variables_that_it_declares() -> None:
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    for name, resource in FUNCTIONS.items():
        folder = resource["Properties"]["CodeUri"].removeprefix("functions/")
        own = resource["Properties"]["Environment"]["Variables"]
        assert {*shared, *own} - _OF_LIBRARIES == {*EVERYWHERE, *function_module(folder).NEEDS}, name


def test_no_part_of_the_template_is_longer_than_a_reader_can_keep_in_mind() -> None:
    for path in (ROOT / "template.yaml", *(ROOT / "template").glob("*.yaml")):
        assert len(path.read_text().splitlines()) <= MOST_LINES_OF_A_PART, path.name


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
        *(("/site/{slug}", method) for method in ("GET", "HEAD")),
        *(("/site/{slug}/{proxy+}", method) for method in ("GET", "HEAD", "POST")),
        *(("/site/{slug}/sign-in", method) for method in ("GET", "HEAD", "POST")),
        *(("/site/{slug}/sign-in/{proxy+}", method) for method in ("GET", "POST")),
        *(("/site/{slug}/search", method) for method in ("GET", "HEAD")),
        ("/site/{slug}/search/{proxy+}", "GET"),
        *(("/console", method) for method in ("GET", "HEAD")),
        *(("/console/{proxy+}", method) for method in ("GET", "HEAD")),
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
