"""Helpdesk: a customer-support backend on AWS Lambda and DynamoDB.

Packages are named for the product's nouns and hold the same four files: `schemas` (what goes in and out),
`service` (the rules), `repository` (the items), `errors` (what can be refused). Around them: `http` (routes,
admission), `storage` (table, keys, transactions), `events` (the outbox), `delivery` (signed webhooks) and
`platform` (clock, ids, clients, settings).
"""

__version__ = "0.1.0"
"""The release. The clients carry the same; a test compares them, and requires a section in CHANGELOG.md."""
