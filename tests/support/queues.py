"""SQS events as the workers get them."""

import json
from typing import Any

from helpdesk.platform.settings import settings


def sqs_event(
    *bodies: dict[str, Any], queue: str = "agent", group: str = "", receives: int = 1
) -> dict[str, Any]:
    """Return a batch of messages of a first-in-first-out queue; the group is the body's organization unless given."""
    name = settings().queue_url(queue).rpartition("/")[2]
    return {
        "Records": [
            {
                "messageId": f"message-{number}",
                "receiptHandle": f"receipt-{number}",
                "body": json.dumps(body),
                "attributes": {
                    "MessageGroupId": group or body["organization"],
                    "ApproximateReceiveCount": str(receives),
                },
                "eventSourceARN": f"arn:aws:sqs:eu-west-1:123456789012:{name}",
            }
            for number, body in enumerate(bodies)
        ]
    }
