"""template/generated/resources.json: the table, buckets, queues, policies and roles, written from template/*.yaml.

The tables of the Data Catalog for exported analytics are written from the datasets.

CloudFormation takes one AWS::Include in Resources, and no include inside an included file (docs/decisions/0104). The
parts are therefore files for people, and the tools read one file. `make openapi` writes it; `make check` compares it
(--check). In the parts, short forms (!Ref) and aliases are allowed.
"""

import json
import sys
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from helpdesk.analytics import exporting
from helpdesk.analytics.columns import columns, snake_case
from helpdesk.analytics.datasets import DATASETS

TEMPLATE = Path(__file__).resolve().parents[1] / "template"
PARTS = (
    "data.yaml",
    "queues.yaml",
    "mail.yaml",
    "live.yaml",
    "policies.yaml",
    "worker_policies.yaml",
    "roles.yaml",
)
RESOURCES = TEMPLATE / "generated" / "resources.json"


def text(parts: dict[str, str]) -> str:
    """Return the document, one resource or loop a line, from each part's text by its name.

    Errors: ValueError, when two parts have the same resource.
    """
    found: dict[str, Any] = glue_tables()
    for name, source in parts.items():
        part: dict[str, Any] = yaml_parse(source)
        if twice := sorted(found.keys() & part.keys()):
            raise ValueError(f"template/{name} repeats {', '.join(twice)} of another part")
        found |= part
    return (
        "{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        + "\n}\n"
    )


def glue_tables() -> dict[str, Any]:
    """Return a table of the Data Catalog for each dataset of analytics that is exported.

    Athena finds partitions by their paths (partition projection), so nothing has to add them. It asks for the
    organization in each query (`injected`), so no query mixes organizations.
    """
    return {f"Analytics{dataset[0].upper()}{dataset[1:]}Table": _glue_table(dataset) for dataset in DATASETS}


def _glue_table(dataset: str) -> dict[str, Any]:
    name = snake_case(dataset)
    location = f"s3://${{AnalyticsBucket}}/{exporting.ROOT}/{name}"
    path = f"{location}/organization=${{!organization}}/month=${{!month}}"
    return {
        "Type": "AWS::Glue::Table",
        "Condition": "ExportsAnalytics",
        "Properties": {
            "CatalogId": {"Ref": "AWS::AccountId"},
            "DatabaseName": {"Ref": "AnalyticsDatabase"},
            "TableInput": {
                "Name": name,
                "TableType": "EXTERNAL_TABLE",
                "PartitionKeys": [
                    {"Name": "organization", "Type": "string"},
                    {"Name": "month", "Type": "string"},
                ],
                "Parameters": {
                    "classification": "parquet",
                    "projection.enabled": "true",
                    "projection.organization.type": "injected",
                    "projection.month.type": "date",
                    "projection.month.format": "yyyy-MM",
                    "projection.month.interval": "1",
                    "projection.month.interval.unit": "MONTHS",
                    "projection.month.range": "2020-01,NOW",
                    "storage.location.template": {"Fn::Sub": path},
                },
                "StorageDescriptor": {
                    "Location": {"Fn::Sub": f"{location}/"},
                    "InputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
                    "OutputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
                    "SerdeInfo": {
                        "SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
                    },
                    "Columns": [
                        {"Name": each.name, "Type": each.type.value}
                        | ({"Comment": each.comment} if each.comment else {})
                        for each in columns(dataset)
                    ],
                },
            },
        },
    }


def sources() -> dict[str, str]:
    """Return each part's text by its name."""
    return {name: (TEMPLATE / name).read_text(encoding="utf-8") for name in PARTS}


def write() -> bool:
    """Write the file where the parts have changed, and return whether they have."""
    wanted = text(sources())
    if RESOURCES.exists() and RESOURCES.read_text(encoding="utf-8") == wanted:
        return False
    RESOURCES.write_text(wanted, encoding="utf-8")
    return True


def main(arguments: list[str]) -> int:
    """Write the file, or with --check return 1 where it does not match its parts."""
    if "--check" in arguments:
        current = RESOURCES.read_text(encoding="utf-8") if RESOURCES.exists() else ""
        if differs := current != text(sources()):
            print(
                f"template/generated/resources.json does not match {', '.join(PARTS)}. Run: make openapi",
                file=sys.stderr,
            )
        return int(differs)
    if write():
        print("Written: template/generated/resources.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
