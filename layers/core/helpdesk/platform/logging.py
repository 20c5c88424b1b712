"""One structured logger for all functions.

Log ids, codes, counts and durations. Never log a secret, a message's text, a name or an address: a log is kept after a
customer is erased.
"""

import logging

from aws_lambda_powertools import Logger

# Lambda reads a line's level only if its time is in this form; any other line counts as INFO and is filtered as such.
logger = Logger(log_uncaught_exceptions=False, utc=True, use_rfc3339=True)

# At level DEBUG every library logs, and these would write what is sent: items, messages, e-mails.
for _library in ("botocore", "urllib3", "aiohttp", "asyncio"):
    logging.getLogger(_library).setLevel(logging.INFO)
