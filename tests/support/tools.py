"""Tool endpoints and tools as a sync leaves them, written without one."""

from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.secret_keys import repository as secret_keys
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import repository
from helpdesk.tools.record import Declaration, Risk, SyncStatus, Tool, ToolEndpoint
from tests.support.tool_server import tool as declared_tool


def declaration(name: str, **changed: Any) -> Declaration:
    """Return a harmless declaration, with what a test changes of it, by the manifest's names."""
    said = declared_tool(name, **changed)
    return Declaration(
        name=name,
        title=said["title"],
        description=said["description"],
        input_schema=said["inputSchema"],
        output_schema=said.get("outputSchema"),
        risk=Risk(said["risk"]),
        requires_identity=said["requiresIdentity"],
    )


def connected(organization: NewOrganization | str, url: str, *declared: Declaration) -> list[Tool]:
    """Store an endpoint that declares these tools, signed with the organization's key; return the tools."""
    of = organization if isinstance(organization, str) else organization.organization_id
    endpoint = ToolEndpoint(
        organization=of,
        id=ids.new("tool"),
        url=url,
        key_id=next(iter(secret_keys.live(of).values())).id,
        created_at=clock.now_ms(),
        sync_id=ids.new("sync"),
        status=SyncStatus.SYNCED,
        problem=None,
        tools=tuple(each.name for each in declared),
        changes=(),
        last_sync_at=clock.now_ms(),
    )
    tools = [
        Tool(
            organization=of,
            declared=each,
            endpoint_id=endpoint.id,
            raised_risk=None,
            enabled=True,
            waiting=None,
            withdrawn=False,
            updated_at=clock.now_ms(),
        )
        for each in declared
    ]
    transaction = Transaction()
    transaction.put(endpoint)
    transaction.put(repository.claim(of, url, endpoint.id))
    for each in tools:
        transaction.put(each)
    transaction.commit()
    return tools
