"""One structured logger for all functions.

What may be logged: ids, codes, counts and durations. Never a secret, a message's text, a name or an address:
an operator's log outlives the customer's wish to be forgotten.
"""

import logging

from aws_lambda_powertools import Logger

# Lambda sorts lines by level only where their time is in this form; any other counts as INFO, and is then left out
# where less severe lines are.
logger = Logger(log_uncaught_exceptions=False, utc=True, use_rfc3339=True)

# At level DEBUG Lambda lets every library log, and these would write what is sent: items, messages, mails.
for _library in ("botocore", "urllib3", "aiohttp", "asyncio"):
    logging.getLogger(_library).setLevel(logging.INFO)
