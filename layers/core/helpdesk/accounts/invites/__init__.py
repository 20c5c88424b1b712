"""Invitations: how a person becomes a member of an organization."""
