"""The examples of the nouns that have a module of their own, joined."""

from typing import Any

from scripts.openapi import (
    account_examples,
    analytics_examples,
    approval_examples,
    board_examples,
    crawl_examples,
    inbox_examples,
    integration_examples,
    knowledge_examples,
    live_examples,
    oauth_examples,
    signal_examples,
    site_examples,
    task_examples,
    tool_examples,
)

_MODULES = (
    analytics_examples,
    oauth_examples,
    account_examples,
    crawl_examples,
    inbox_examples,
    knowledge_examples,
    approval_examples,
    tool_examples,
    integration_examples,
    signal_examples,
    site_examples,
    task_examples,
    board_examples,
    live_examples,
)

BODIES: dict[str, Any] = {name: body for module in _MODULES for name, body in module.BODIES.items()}
ANSWERS: dict[str, Any] = {name: answer for module in _MODULES for name, answer in module.ANSWERS.items()}
EXPORTED: dict[str, Any] = board_examples.EXPORTED
THREAD: dict[str, Any] = integration_examples.THREAD
"""The parts of a customer's export that these nouns add."""
