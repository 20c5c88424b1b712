"""Migrations of the table: what an upgrade changes in items that an earlier version wrote (docs/upgrading.md)."""
