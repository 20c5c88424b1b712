"""What tests of admission share."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from tests.support.people import issue_token
from tests.support.small_api import START


@pytest.fixture
def tokens(organization: NewOrganization) -> dict[str, str]:
    with clock.frozen(lambda: START):  # later than now, so that they hold on both clocks
        issued = {
            role: f"Bearer {issue_token(organization.organization_id, role=role, name=role)}"
            for role in ("owner", "admin", "member")
        }
    return {
        **issued,
        "key": f"Bearer {organization.secret_key}",
        "publishable": f"Bearer {organization.publishable_key}",
        "homeless": f"Bearer {issue_token(None, role='member', name='Nobody')}",
        "none": "",
    }


@pytest.fixture
def explorer(make_organization: Callable[..., NewOrganization]) -> NewOrganization:
    """An organization with small bursts: 20 reads, 10 writes, 2 uploads."""
    return make_organization(Plan.EXPLORE, api_limits=False)
