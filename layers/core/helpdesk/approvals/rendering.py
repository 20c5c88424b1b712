"""Approvals as responses."""

from collections.abc import Mapping

from helpdesk.approvals.record import Approval
from helpdesk.approvals.schemas import ApprovalIdentity, ApprovalShape
from helpdesk.conversations.schemas import CustomerSummary
from helpdesk.customers.record import Customer
from helpdesk.storage import by_name as by_names


def approval_shape(approval: Approval, customers: Mapping[str, Customer]) -> ApprovalShape:
    """Return an approval as the team reads it; `customers` are the records by id, without those that are gone."""
    customer = customers.get(approval.customer_id)
    return ApprovalShape(
        id=approval.id,
        status=approval.status,
        tool=approval.tool,
        endpoint_id=approval.endpoint_id,
        input=approval.input_value,
        risk=approval.risk,
        reason=approval.reason,
        conversation_id=approval.conversation_id,
        identity=ApprovalIdentity(
            external_id=approval.identity.external_id,
            name=approval.identity.name,
            email=approval.identity.email,
            email_verified=approval.identity.email_verified,
        ),
        customer=CustomerSummary(
            id=approval.customer_id,
            name=customer.name if customer else None,
            email=customer.email if customer else None,
            avatar_url=customer.avatar_url if customer else None,
        ),
        requested_at=approval.requested_at,
        expires_at=approval.expires_at,
        decided_at=approval.decided_at,
        decided_by=by_names.id_of(approval.decided_by_name),
        decided_by_name=approval.decided_by_name,
        note=approval.note,
        outcome=approval.outcome,
        result=approval.result,
    )
