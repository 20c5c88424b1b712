"""Metrics in CloudWatch's embedded metric format."""

import json

import pytest

from helpdesk.platform import metrics


def test_a_count_is_printed_for_cloudwatch_without_the_functions_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "helpdesk-dev")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "delivery")

    metrics.count("EventsDropped")

    printed = json.loads(capsys.readouterr().out)
    [declared] = printed["_aws"]["CloudWatchMetrics"]
    assert declared["Namespace"] == "helpdesk-dev"
    assert declared["Dimensions"] == [["service"]]
    assert declared["Metrics"] == [{"Name": "EventsDropped", "Unit": "Count"}]
    assert printed["service"] == "helpdesk"
    assert printed["EventsDropped"] == [1.0]
