"""Rules of the functions' policies: who reads and writes which partitions, secrets, indexes and buckets."""

import json

import pytest

from tests.architecture.deployed import (
    ACCOUNT_FUNCTIONS,
    API_FUNCTIONS,
    FUNCTIONS,
    POLICIES,
    RESOURCES,
    WORKERS,
    actions,
    allowed,
    denied,
)


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


def test_the_function_that_takes_hooks_reads_the_apps_secrets_and_nothing_of_an_organization() -> None:
    assert allowed("Hooks") == {"APPSECRET#*": {"dynamodb:GetItem"}, "HOOK#*": {"dynamodb:PutItem"}}


def test_the_function_that_connects_writes_tokens_and_reads_none() -> None:
    assert allowed("Connect")["ORG#*#TOKENS"] == {"dynamodb:PutItem", "dynamodb:UpdateItem"}
    assert allowed("Connect")["OAUTH#BROWSER#*"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
    assert allowed("Connect")["PERSON#*"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}


def test_the_function_that_connects_finds_the_connections_that_a_new_one_takes_the_place_of() -> None:
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}

    assert allowed("Connect")["ORG#*#INTEGRATION"] == reads | WRITES


def test_the_pages_of_help_sites_reach_what_they_show_and_what_visitors_write() -> None:
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    writes = {"dynamodb:PutItem", "dynamodb:UpdateItem"}
    check, delete = {"dynamodb:ConditionCheckItem"}, {"dynamodb:DeleteItem"}

    pages = {"SLUG#*", "ORG#*#ORG", "ORG#*#SITE", "ORG#*#FOLDER"}
    assert allowed("Site") == {
        **dict.fromkeys({*pages, "ORG#*#AGENT"}, reads),
        "ORG#*#LIVE": {"dynamodb:Query", "dynamodb:PutItem"},
        "ORG#*#FILE#*": writes | {"dynamodb:BatchGetItem"},
        "ORG#*#BUCKET": {"dynamodb:UpdateItem"},
        "REPLYTO#*": {"dynamodb:GetItem"},
        "ORG#*#PAGE": reads | {"dynamodb:UpdateItem"},
        "ORG#*#PAGERATING#*": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
        "ORG#*#SITESESSION#*": reads,
        "ORG#*#POSTS#*": {"dynamodb:Query"},
        **dict.fromkeys(
            ("ORG#*#BOARD", "ORG#*#POSTNUMBER#*", "ORG#*#SESSION#*", "ORG#*#CONV#*"), reads | writes
        ),
        "ORG#*#IDEMPOTENCY#*": writes,
        "ORG#*#POST#*": reads | writes | delete,
        "ORG#*#CUS#*": reads | writes | check | delete,
        **dict.fromkeys(("ADDRESS#*", "ORG#*#RATINGS", "ORG#*#JOB#*", "ORG#*#EVENT#*"), writes),
    }
    assert allowed("SiteSearch") == {
        **dict.fromkeys(
            (*pages, "ORG#*#SITESESSION#*", "ORG#*#CUS#*", "ORG#*#PAGE", "ORG#*#KNOWLEDGE"), reads
        ),
        "ADDRESS#*": {"dynamodb:UpdateItem"},
        "ORG#*#SEARCHGAP#*": {"dynamodb:UpdateItem"},
    }


def test_sign_in_to_help_sites_reaches_what_proves_who_someone_is_and_no_conversation() -> None:
    reached = allowed("SiteSignIn")

    assert reached["ORG#*#SITESECRET"] == {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    assert reached.keys() == {
        *("SLUG#*", "ORG#*#ORG", "ORG#*#SITE", "ORG#*#SITESECRET", "ORG#*#SITETOKEN#*", "ORG#*#SITECODE#*"),
        *("ORG#*#SITESESSION#*", "ORG#*#IDENTITY#*", "ORG#*#CUS#*", "ORG#*#SESSION#*", "ORG#*#JOB#*"),
        *("ORG#*#BUCKET", "ADDRESS#*", "MAILCEILING#*", "WAITS#*"),
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
    assert denied("People", "TOKEN#*") == {"dynamodb:PutItem"}
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
        "Conversations": {
            "ORG#*#INBOX#*",
            "ORG#*#WAITING",
            "ORG#*#CUSCONVS#*",
            "ORG#*#ASSIGNED#*",
            "ORG#*#APPROVALS#*",
        },
        "Customers": {"ORG#*#CUSTOMERS", "ORG#*#CUSCONVS#*", "ORG#*#CUSREPORTS#*"},
        "Knowledge": {"ORG#*#DOCUMENTS#*", "ORG#*#SUGGESTIONS#*", "ORG#*#SEARCHGAPS"},
        "KnowledgeIndexer": {"ORG#*#DOCUMENTS#*"},
        "SiteSettings": {"ORG#*#SEARCHGAPS"},
        "Signals": {"ORG#*#SIGNALS", "ORG#*#SIGNALS#*", "ORG#*#REPORTERS#*", "ORG#*#COLUMN#*"},
        "SignalWorker": {"ORG#*#CUSCONVS#*"},
        "Tasks": {"ORG#*#COLUMN#*", "ORG#*#REQUESTS"},
        "Board": {"ORG#*#POSTS#*"},
        "Webhooks": {"ORG#*#EVENTS"},
        "Organizations": {"ORG#*#LOG#*"},
        "People": {"PERSON#*#GRANTS", "ORG#*#GRANTS"},
        "AutoResolve": {"AUTORESOLVE#*", "ORG#*#INBOX#*"},
        "UploadCleanup": {"UNATTACHED#*"},
        "AgentWorker": {"ORG#*#COLUMN#*"},
        "IntegrationWorker": {"ORG#*#COLUMN#*", "ORG#*#REPORTERS#*", "CONNECTIONS#*"},
        "Timers": {"WAKE#*", "DUEAPPROVALS#*", "DUERUNS#*", "DUESYNCS#*"},
        "Facts": {"ORG#*#CUSCONVS#*"},
        "Eraser": {"RETAINING#*", "ORG#*#INBOX#*", "ORG#*#CUSCONVS#*", "ORG#*#CUSREPORTS#*"},
        "Crawler": {"DUECRAWLS#*"},
    }


@pytest.mark.parametrize(
    ("function", "removed"),
    [("Conversations", ["ORG#*#CONV#*", "ORG#*#REPLIES"]), ("Timers", ["ORG#*#CONV#*"])],
)
def test_functions_that_end_snoozes_remove_nothing_but_what_they_serve(
    function: str, removed: list[str]
) -> None:
    [statement] = [
        each
        for each in POLICIES[function]
        if "dynamodb:DeleteItem" in actions(each) and each["Effect"] == "Allow"
    ]

    assert statement["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": removed}}


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
            "ORG#*#APPROVAL",
            "ORG#*#MAIL#*",
            "REPLYTO#*",
            "ORG#*#SESSION#*",
            "ORG#*#FILE#*",
            "ORG#*#RATINGS",
            "ORG#*#SUGGESTION",
            "ORG#*#SIGNAL#*",
            "ORG#*#IDEMPOTENCY#*",
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
