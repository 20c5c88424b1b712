"""What IAM decides on for a call, and how: by the policies of template.yaml, as IAM does."""

import pytest

from tests.support.iam_requests import requests_of
from tests.support.policies import Request, decide

LEADING_KEYS = "dynamodb:LeadingKeys"


def on_table(action: str, *keys: str, index: str = "") -> Request:
    return Request(f"dynamodb:{action}", f"${{Table.Arn}}{index}", LEADING_KEYS, keys)


@pytest.mark.parametrize(
    ("function", "request_", "allowed"),
    [
        ("Knowledge", on_table("DeleteItem", "ORG#x#CRAWLS"), True),
        ("Knowledge", on_table("DeleteItem", "ORG#x#CONV#x"), False),
        # The denial wins over the allowance of the whole table.
        ("Messages", on_table("GetItem", "ORG#x#CONV#x"), True),
        ("Messages", on_table("GetItem", "ORG#x#SECRET"), False),
        # An index is a resource of its own.
        ("Board", on_table("Query", "ORG#x#POSTS#x", index="/index/GSI3"), True),
        ("Board", on_table("Query", "ORG#x#POSTS#x", index="/index/GSI2"), False),
        # One key that is not allowed refuses the batch; one that is denied does, too.
        ("Eraser", on_table("BatchWriteItem", "ORG#x#CUS#x", "ORG#x#POST#x"), True),
        ("Eraser", on_table("BatchWriteItem", "ORG#x#CONV#x", "ORG#x#CUS#x"), False),
        ("Messages", on_table("BatchGetItem", "ORG#x#CONV#x", "ORG#x#TOKENS"), False),
        # An action that no statement names.
        ("Messages", on_table("Scan"), False),
        ("SiteSearch", Request("s3:GetObject", "${KnowledgeBucket.Arn}/org_1/a.md"), True),
        ("SiteSearch", Request("s3:GetObject", "${FilesBucket.Arn}/org_1/a.md"), False),
    ],
)
def test_a_role_decides_as_iam_does(function: str, request_: Request, allowed: bool) -> None:
    assert bool(decide(function, request_)) is allowed


def test_a_transaction_is_decided_action_by_action() -> None:
    key = {"PK": {"S": "ORG#org_1#FOLDER"}, "SK": {"S": "FOLDER#1"}}
    each = {"TableName": "any", "Key": key}
    actions = [{"Delete": each}, {"ConditionCheck": each}, {"Put": {"TableName": "any", "Item": key}}]

    assert list(requests_of("dynamodb", "TransactWriteItems", {"TransactItems": actions})) == [
        on_table("DeleteItem", "ORG#x#FOLDER"),
        on_table("ConditionCheckItem", "ORG#x#FOLDER"),
        on_table("PutItem", "ORG#x#FOLDER"),
    ]


def test_a_batch_is_one_action_with_all_of_its_keys() -> None:
    keys = [{"PK": {"S": f"ORG#org_1#{kind}"}, "SK": {"S": "x"}} for kind in ("POST#1", "POST#2", "BOARD")]

    assert list(requests_of("dynamodb", "BatchGetItem", {"RequestItems": {"any": {"Keys": keys}}})) == [
        on_table("BatchGetItem", "ORG#x#BOARD", "ORG#x#POST#x")
    ]


def test_a_copy_reads_one_object_and_writes_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILES_BUCKET", "files-of-a-test")
    copy = {"Bucket": "files-of-a-test", "Key": "b", "CopySource": {"Bucket": "files-of-a-test", "Key": "a"}}

    assert list(requests_of("s3", "CopyObject", copy)) == [
        Request("s3:GetObject", "${FilesBucket.Arn}/a"),
        Request("s3:PutObject", "${FilesBucket.Arn}/b"),
    ]
