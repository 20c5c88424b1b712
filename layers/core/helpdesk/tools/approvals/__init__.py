"""Approvals: calls of tools that wait until a person of the team approves or denies them."""
