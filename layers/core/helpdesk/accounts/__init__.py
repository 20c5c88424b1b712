"""Accounts: what spans people, members and organizations, from `GET /me` to creating an organization."""
