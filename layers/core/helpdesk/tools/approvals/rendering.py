"""Approvals as responses."""

from collections.abc import Mapping

from helpdesk.conversations.rendering import customer_summary
from helpdesk.customers.record import Customer
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.approvals.schemas import ApprovalShape


def approval_shape(approval: Approval, customers: Mapping[str, Customer]) -> ApprovalShape:
    """Return an approval as the team reads it; `customers` are the records by id, without those that are gone."""
    return ApprovalShape.from_record(
        approval,
        input=approval.input_value,
        customer=customer_summary(approval.customer_id, customers),
    )
