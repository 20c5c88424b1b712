"""Helpdesk: a customer-support backend on AWS Lambda and DynamoDB.

Packages are named for the product's nouns and use the same file names: `schemas` (what goes in and out), `service` (the
rules), `record` (the items' types), `repository` (reads and writes), `errors` (what can be refused). They stand on the
foundations: `routing`, `http`, `admission`, `idempotency`, `logs`, `outbound`, `events`, `storage` and `platform`.
CONTRIBUTING.md says what each is for.
"""

import gc
import os

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    # A start creates up to 180,000 objects, and all of them stay. Collecting among them takes 8% of it and frees none.
    gc.set_threshold(250_000)

__version__ = "0.1.0"
"""The release. The clients carry the same; a test compares them, and requires a section in CHANGELOG.md."""
