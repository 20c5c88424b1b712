"""Metrics for the operator's alarms and dashboard (template/monitoring.yaml).

Powertools prints them in CloudWatch's embedded metric format, so they cost no call: CloudWatch reads them from the log.
All functions share one dimension. An alarm therefore also covers a function that starts to count its metric; the log
line beside the count is in that function's log group.
"""

import os

from aws_lambda_powertools.metrics import MetricUnit, single_metric

NAMESPACE = "POWERTOOLS_METRICS_NAMESPACE"
_DIMENSION = {"service": "helpdesk"}  # Powertools would set the function's


def count(name: str) -> None:
    """Count one occurrence of `name`, in the namespace that the template sets: the name of the stack."""
    with single_metric(
        name=name,
        unit=MetricUnit.Count,
        value=1,
        namespace=os.environ.get(NAMESPACE, "helpdesk"),
        default_dimensions=_DIMENSION,
    ):
        pass
