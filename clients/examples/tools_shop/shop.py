"""Tools of a small shop for Helpdesk's agent, in Python: an order lookup, an address change and a refund.

    HELPDESK_KEY=svc_key_… PORT=8000 python shop.py    # the standard library's WSGI server
    HELPDESK_KEY=svc_key_… uvicorn shop:asgi           # any ASGI server
    HELPDESK_KEY=svc_key_… gunicorn shop:wsgi          # any WSGI server

`lambda_handler` serves a Lambda function URL; there, pass a DynamoStore. Add the address as a tool endpoint.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from socketserver import ThreadingMixIn
from typing import Annotated
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from helpdesk_webhooks.tools import Context, FileStore, Refused, Toolbox

_LOGGER = logging.getLogger("shop")
tools = Toolbox(os.environ["HELPDESK_KEY"], FileStore(os.environ.get("CALLS", "calls")))
wsgi, asgi, lambda_handler = tools.wsgi, tools.asgi, tools.lambda_handler


@dataclass(frozen=True)
class Address:
    """Where an order goes."""

    street: str
    city: str
    postcode: Annotated[str, {"pattern": "^[0-9A-Za-z -]{3,10}$"}]


@dataclass(frozen=True)
class Order:
    """An order. Amounts are in cents."""

    number: str
    status: str
    total: int
    refunded: int
    address: Address


Number = Annotated[str, "The order's number, such as A-1001."]

# Your database. The keys are your IDs of customers: `user.metadata.externalId` of the messages that your server sends.
ORDERS = {
    "customer-1": {
        "A-1001": Order("A-1001", "packed", 4_900, 0, Address("1 Fern Street", "Leeds", "LS1 4AP"))
    },
    "customer-2": {"A-1002": Order("A-1002", "sent", 1_250, 0, Address("7 Moss Lane", "York", "YO1 7HH"))},
}


@tools.tool(risk="low", requires_identity=True)
def find_order(number: Number, context: Context) -> Order:
    """Find an order of the visitor: its status, total and what was refunded, in cents, and its address."""
    return own_orders(context)[number]


@tools.tool(risk="medium", title="Change an order's address", requires_identity=True)
def change_address(number: Number, address: Address, context: Context) -> Order:
    """Change where an order of the visitor goes. Possible until the order is sent."""
    orders = own_orders(context)
    if orders[number].status == "sent":
        raise Refused("The order was sent already. Offer to pass this to the team.")
    orders[number] = replace(orders[number], address=address)
    _LOGGER.info("%s goes to %s now (call %s)", number, address.city, context.call_id)
    return orders[number]


@tools.tool(risk="high", requires_identity=True)
def refund(
    number: Number,
    amount: Annotated[int, {"minimum": 1}, "In cents, at most what was paid and not refunded yet."],
    context: Context,
) -> Order:
    """Refund a part or all of an order of the visitor. A person of the team approves each refund."""
    orders = own_orders(context)
    order = orders[number]
    if amount > order.total - order.refunded:
        raise Refused(f"Only {order.total - order.refunded} cents can be refunded.")
    orders[number] = replace(order, refunded=order.refunded + amount)
    _LOGGER.info("%s was refunded %d cents (call %s)", number, amount, context.call_id)
    return orders[number]


class _Own(dict[str, Order]):
    def __missing__(self, number: str) -> Order:
        raise Refused(f"The visitor has no order {number}.")


def own_orders(context: Context) -> _Own:
    """Return the visitor's own orders, and never another's: the model chooses the number, not who asks."""
    owner = context.visitor and context.visitor.external_id
    if not owner:  # known by an e-mail address alone, which anyone can type
        raise Refused("The visitor is not signed in.")
    ORDERS[owner] = orders = _Own(ORDERS.get(owner, {}))
    return orders


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


if __name__ == "__main__":
    # For this machine only: put a server with TLS in front of it.
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with make_server(
        "127.0.0.1", int(os.environ.get("PORT", "8000")), wsgi, _Server, WSGIRequestHandler
    ) as server:
        _LOGGER.info("Tools at http://127.0.0.1:%d/", server.server_port)
        server.serve_forever()
