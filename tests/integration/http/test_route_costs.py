"""What every route asks of DynamoDB, S3 and SQS: what benchmarks/results.md has."""

from collections.abc import Callable

from benchmarks import route_costs
from benchmarks.report import RESULTS, table
from helpdesk.accounts.organizations.schemas import NewOrganization


def test_each_route_costs_what_the_results_say(make_organization: Callable[..., NewOrganization]) -> None:
    """After a change: put what `python -m benchmarks route_costs` prints into benchmarks/results.md."""
    measured = route_costs.measured(make_organization(unlimited_api=True))

    results = RESULTS.read_text(encoding="utf-8")
    _, _, section = results.partition(f"## {measured.title}\n")
    written = section.partition("\n## ")[0].splitlines()
    assert [line for line in table(measured.columns, measured.rows).splitlines() if line not in written] == []
