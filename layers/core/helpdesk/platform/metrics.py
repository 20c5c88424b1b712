"""Metrics for the operator's alarms and dashboard (template/monitoring.yaml).

Powertools prints them in CloudWatch's embedded metric format, so they cost no call: CloudWatch reads them from the log.
Each has the function's name as its dimension `service`.
"""

import os

from aws_lambda_powertools.metrics import MetricUnit, single_metric

NAMESPACE = "POWERTOOLS_METRICS_NAMESPACE"


def count(name: str) -> None:
    """Count one occurrence of `name`, in the namespace that the template sets: the name of the stack."""
    with single_metric(
        name=name, unit=MetricUnit.Count, value=1, namespace=os.environ.get(NAMESPACE, "helpdesk")
    ):
        pass
