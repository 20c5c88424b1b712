"""/v1/analytics: figures about the organization's work."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.analytics import service as analytics
from helpdesk.analytics.schemas import Satisfaction, SatisfactionQuery
from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/analytics/satisfaction", access=Access.MEMBER)
def get_satisfaction(caller: Caller, query: SatisfactionQuery) -> Satisfaction:
    """Get satisfaction ratings by day and by number of stars."""
    return analytics.satisfaction(caller.organization, query)


handler = api.handler
