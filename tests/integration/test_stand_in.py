"""The stand-in for AWS: what a test finds in it, and that no test leaves anything to another."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.ses.models import ses_backends

from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.support import stand_in, table
from tests.support.template import table_properties

ACCOUNT = "123456789012"


def queue_urls() -> list[str]:
    return [
        f"https://sqs.{stand_in.REGION}.amazonaws.com/{ACCOUNT}/{name}" for name in stand_in.QUEUES.values()
    ]


def held(url: str) -> set[str]:
    names: Any = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"]
    return set(clients.sqs().get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"].values())


# In any order: whichever is second proves that the first left nothing.
@pytest.mark.parametrize("visit", ["one", "other"])
def test_a_test_sees_nothing_of_one_that_dirtied_everything(visit: str) -> None:
    assert table.everything() == []
    assert {url: held(url) for url in queue_urls()} == {url: {"0"} for url in queue_urls()}
    for bucket in stand_in.BUCKETS:
        assert clients.s3().list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    assert ses_backends[ACCOUNT][stand_in.REGION].sent_messages == []
    assert clients.ses().list_email_identities()["EmailIdentities"] == []
    assert clients.dynamodb().list_tables()["TableNames"] == [settings().table_name]
    assert len(clients.s3().list_buckets()["Buckets"]) == len(stand_in.BUCKETS)
    assert len(clients.sqs().list_queues()["QueueUrls"]) == len(stand_in.QUEUES)

    for number in range(3):
        key: Any = {"PK": {"S": "ORG#a#DIRT"}, "SK": {"S": f"{number}"}}
        clients.dynamodb().put_item(TableName=settings().table_name, Item=key)
        clients.dynamodb().transact_write_items(
            TransactItems=[
                {"Put": {"TableName": settings().table_name, "Item": {**key, "SK": {"S": f"t{number}"}}}}
            ]
        )
    for url in queue_urls():
        fifo: Any = {"MessageGroupId": "a", "MessageDeduplicationId": "a"} if url.endswith(".fifo") else {}
        clients.sqs().send_message(QueueUrl=url, MessageBody="dirt", **fifo)
    for bucket in stand_in.BUCKETS:
        clients.s3().put_object(Bucket=bucket, Key="dirt", Body=b"dirt")
        upload = clients.s3().create_multipart_upload(Bucket=bucket, Key="half")
        assert upload["UploadId"]
    clients.ses().create_email_identity(EmailIdentity="dirt@example.com")
    clients.ses().send_email(
        FromEmailAddress="dirt@example.com",
        Destination={"ToAddresses": ["a@example.com"]},
        Content={"Simple": {"Subject": {"Data": "dirt"}, "Body": {"Text": {"Data": "dirt"}}}},
    )
    clients.dynamodb().create_table(TableName="dirt", **table_properties())
    clients.s3().create_bucket(
        Bucket="dirt-dirt", CreateBucketConfiguration={"LocationConstraint": stand_in.REGION}
    )
    clients.sqs().create_queue(QueueName="dirt")
    with pytest.raises(ClientError):
        clients.dynamodb().create_table(TableName="dirt", **table_properties())


def test_the_table_is_as_a_request_would_make_it() -> None:
    client = clients.dynamodb()
    properties = {name: part for name, part in table_properties().items() if name != "StreamSpecification"}
    client.create_table(TableName="requested", **properties)

    def described(name: str) -> dict[str, Any]:
        found: Any = client.describe_table(TableName=name)["Table"]
        return {part: found[part] for part in found.keys() - {"TableName", "TableArn", "CreationDateTime"}}

    assert described(stand_in.TABLE) == described("requested")


def test_a_queue_is_as_a_request_would_make_it() -> None:
    sqs = clients.sqs()
    for name in ("delivery", "agent.fifo"):
        fifo: Any = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        url = sqs.create_queue(QueueName=f"requested-{name}", Attributes=fifo)["QueueUrl"]
        ours = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        assert ours in stand_in.ENVIRONMENT.values()

        def described(url: str) -> dict[str, str]:
            found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
            return {
                part: value for part, value in found.items() if part != "QueueArn" and "Timestamp" not in part
            }

        assert described(ours) == described(url)


def test_a_bucket_is_as_a_request_would_make_it() -> None:
    s3 = clients.s3()
    s3.create_bucket(Bucket="requested", CreateBucketConfiguration={"LocationConstraint": stand_in.REGION})

    for bucket in stand_in.BUCKETS:
        asked: list[Any] = [s3.get_bucket_location, s3.get_bucket_versioning, s3.get_bucket_acl]
        for ask in asked:
            answers = [
                {part: value for part, value in ask(Bucket=name).items() if part != "ResponseMetadata"}
                for name in (bucket, "requested")
            ]
            assert answers[0] == answers[1]
