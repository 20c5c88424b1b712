"""/v1/customers: customers, facts about them and messages to them; /v1/erasures: receipts of erasures."""

from helpdesk.accounts.organizations.errors import UpgradeRequired
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.content import BaseUrl, ClientInfo
from helpdesk.api.http.csv_content import CsvText, wants_csv
from helpdesk.api.http.schemas import OK, Ok, PageQuery
from helpdesk.api.routing.api import Api
from helpdesk.conversations.errors import EmptyMessage, MessageTooLong, TooManyAttachments
from helpdesk.conversations.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.customers import editing, exporting, listing
from helpdesk.customers.errors import CustomerNotFound, FactNotFound
from helpdesk.customers.profile import CustomerInput, CustomerUpdate
from helpdesk.customers.schemas import (
    CustomerAnswer,
    CustomerChanged,
    CustomerCreated,
    CustomersAnswer,
    CustomersQuery,
    FactCreated,
    FactInput,
)
from helpdesk.outreach.errors import CustomerUnreachable
from helpdesk.outreach.schemas import OutreachAccepted, OutreachInput
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.privacy import service as privacy
from helpdesk.privacy.errors import ErasureNotFound
from helpdesk.privacy.schemas import ExportAnswer, ReceiptAnswer

NEEDS = declare("BASE_URL", "FILES_BUCKET", "SEARCH_BUCKET", "MAIL_FROM", "OUTREACH_PER_HOUR")

api = Api()


@api.get("/v1/customers", access=Access.MEMBER, errors=(InvalidCursor,))
def list_customers(
    caller: Caller, query: CustomersQuery, client: ClientInfo, base_url: BaseUrl
) -> CustomersAnswer | CsvText:
    """List customers, newest first, or search them by name or e-mail address.

    With the header `Accept: text/csv` it returns CSV, 1,000 customers on a page if you send no `limit`. The header
    `Link` of the response has the address of the next page.
    """
    if wants_csv(client):
        return exporting.as_csv(caller, query, f"{base_url}/v1/customers")
    return listing.newest(caller, query)


@api.get("/v1/customers/<customer_id>", access=Access.MEMBER, errors=(CustomerNotFound, InvalidCursor))
def get_customer(caller: Caller, customer_id: str, page: PageQuery) -> CustomerAnswer:
    """Get a customer with the newest facts about them."""
    return listing.get(caller, customer_id, page)


@api.post("/v1/customers", access=Access.MEMBER)
def create_customer(caller: Caller, new: CustomerInput) -> CustomerCreated:
    """Create a customer who has not written."""
    return editing.add(caller, new)


@api.patch("/v1/customers/<customer_id>", access=Access.MEMBER, errors=(CustomerNotFound,))
def update_customer(caller: Caller, customer_id: str, change: CustomerUpdate) -> CustomerChanged:
    """Update a customer's record (only the fields you send)."""
    return editing.change(caller, customer_id, change)


@api.post("/v1/customers/<customer_id>/facts", access=Access.MEMBER, errors=(CustomerNotFound,))
def add_fact(caller: Caller, customer_id: str, fact: FactInput) -> FactCreated:
    """Add a fact about a customer, for the team."""
    return editing.add_fact(caller, customer_id, fact)


@api.delete(
    "/v1/customers/<customer_id>/facts/<fact_id>",
    access=Access.MEMBER,
    errors=(CustomerNotFound, FactNotFound),
)
def remove_fact(caller: Caller, customer_id: str, fact_id: str) -> Ok:
    """Remove a fact about a customer."""
    editing.remove_fact(caller, customer_id, fact_id)
    return OK


@api.post(
    "/v1/customers/<customer_id>/messages",
    access=Access.MEMBER,
    errors=(
        CustomerNotFound,
        CustomerUnreachable,
        UpgradeRequired,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def write_to_customer(caller: Caller, customer_id: str, message: OutreachInput) -> OutreachAccepted:
    """Send a message to a customer.

    It goes to their newest open conversation or a new one, and by e-mail if their address is known and the plan is
    paid.
    """
    from helpdesk.outreach import service as outreach  # noqa: PLC0415 - a fifth of the start, for one route

    return outreach.send(caller, customer_id, message)


@api.delete("/v1/customers/<customer_id>", access=Access.ADMIN, errors=(CustomerNotFound,))
def erase_customer(caller: Caller, customer_id: str) -> ReceiptAnswer:
    """Erase a customer and everything stored about them. While the erasure runs, the same receipt is returned."""
    return privacy.erase(caller, customer_id)


@api.get("/v1/customers/<customer_id>/export", access=Access.ADMIN, errors=(CustomerNotFound, InvalidCursor))
def export_customer(caller: Caller, customer_id: str, page: PageQuery) -> ExportAnswer:
    """Export everything stored about a customer.

    The pages hold the record, facts, conversations with their threads, and ratings.
    """
    from helpdesk.privacy import export  # noqa: PLC0415 - it imports what every noun exports

    return export.page(caller, customer_id, page)


@api.get("/v1/erasures/<erasure_id>", access=Access.MEMBER, errors=(ErasureNotFound,))
def get_erasure(caller: Caller, erasure_id: str) -> ReceiptAnswer:
    """Get the receipt of an erasure. Its counts are there when the erasure is finished."""
    return privacy.get(caller.organization, erasure_id)


handler = api.handler
