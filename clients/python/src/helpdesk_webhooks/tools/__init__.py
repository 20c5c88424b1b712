"""Write tools that your Helpdesk's agent may call, with nothing but the standard library.

    import os
    from helpdesk_webhooks.tools import Context, FileStore, Refused, Toolbox

    tools = Toolbox(os.environ["HELPDESK_KEY"], FileStore("calls"))

    @tools.tool(risk="low")
    def find_order(number: str, context: Context) -> dict[str, str]:
        '''Find an order of the visitor by its number, such as A-1001.'''
        order = orders.get(number)
        if order is None:
            raise Refused("There is no order with this number.")
        return {"status": order.status}

    application = tools.wsgi       # for a WSGI server
    application = tools.asgi       # for an ASGI server
    handler = tools.lambda_handler # for a Lambda function URL

The toolbox serves one URL: GET returns the manifest, POST runs a tool. Both must carry the signature of the service. A
call that comes again with the same ID gets the first response; the function does not run again.
"""

from .schema import InvalidInput
from .stores import DynamoStore, FileStore, Kept, MemoryStore, Store
from .toolbox import Context, Refused, Response, Toolbox, Visitor

__all__ = [
    "Context",
    "DynamoStore",
    "FileStore",
    "InvalidInput",
    "Kept",
    "MemoryStore",
    "Refused",
    "Response",
    "Store",
    "Toolbox",
    "Visitor",
]
