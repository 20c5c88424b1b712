"""SQS events as the workers get them."""

import json
from typing import Any


def sqs_event(*bodies: dict[str, Any], group: str = "", receives: int = 1) -> dict[str, Any]:
    """Return a batch of messages of a first-in-first-out queue; the group is the body's organization unless given."""
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
                "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:queue.fifo",
            }
            for number, body in enumerate(bodies)
        ]
    }
