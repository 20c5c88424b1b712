"""The agent: its settings, and the worker that answers visitors or hands them to the team."""
