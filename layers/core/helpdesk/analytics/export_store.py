"""The exported files in S3. The path has the partition, as Hive and Athena read it."""

from helpdesk.analytics.columns import snake_case
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

ROOT = "facts"
_TYPE = "application/vnd.apache.parquet"


def key_of(dataset: str, organization: str, month: str, source: str) -> str:
    """Return the key of a file: `source` is the dataset whose rows are in it, or show the usage in it."""
    folder = f"{ROOT}/{snake_case(dataset)}/organization={organization}/month={month}"
    return f"{folder}/{snake_case(source)}.parquet"


def replace(dataset: str, organization: str, month: str, source: str, content: bytes | None) -> None:
    """Replace a partition's file; None removes it."""
    bucket, key = settings().analytics_bucket, key_of(dataset, organization, month, source)
    if content is None:
        clients.s3().delete_object(Bucket=bucket, Key=key)
    else:
        clients.s3().put_object(Bucket=bucket, Key=key, Body=content, ContentType=_TYPE)
