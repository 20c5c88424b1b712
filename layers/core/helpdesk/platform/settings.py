"""A function's settings: what its environment sets, read once and frozen.

A function declares the variables that it needs where it starts (`declare`). A missing variable then ends its start and
not a request. template.yaml sets these variables and no others; a test compares the two. pydantic-settings would add
pydantic to the cold start of workers that have no other use for it.
"""

import os
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import overload

from helpdesk.platform.record import Record

EVERYWHERE = ("STAGE", "TABLE_NAME", "LOCAL_ENDPOINT_URL", "FAIR_USE_NOTICE_MINUTES", "PROXY_SECRET_HASH")
"""The variables that every function has (template.yaml, Globals)."""


QUEUES = tuple(
    f"{name}_QUEUE_URL"
    for name in (
        "DELIVERY",
        "RETRY",
        "AGENT",
        "KNOWLEDGE",
        "MAIL",
        "OUTREACH",
        "SEARCH",
        "SUGGESTION",
        "TIMER",
        "ERASE",
        "CRAWL",
        "TOOL_SYNC",
        "SIGNAL",
        "INTEGRATION",
    )
)
"""The addresses of the queues of jobs, for the functions that hand out work."""
ALL_QUEUES = (*QUEUES, "MAIL_EVENTS_QUEUE_URL")
"""With the queue that Amazon SES's topic fills."""


class MissingSettings(Exception):
    """The environment lacks variables; the message names them."""

    def __init__(self, *variables: str) -> None:
        super().__init__(f"not set: {', '.join(variables)}")


class _Setting[Value]:
    """A field of Settings: one variable, and how its text is read. Without a default the variable is required."""

    def __init__(self, variable: str, read: Callable[[str], Value], default: str | None = None) -> None:
        self.variable = variable
        self._read = read
        self._default = default

    @overload
    def __get__(self, settings: None, owner: type) -> "_Setting[Value]": ...
    @overload
    def __get__(self, settings: "Settings", owner: type) -> Value: ...
    def __get__(self, settings: "Settings | None", owner: type) -> "_Setting[Value] | Value":
        if settings is None:
            return self
        text = settings.environment.get(self.variable, self._default)
        if text is None:
            raise MissingSettings(self.variable)
        return self._read(text)


def _text(text: str) -> str:
    return text


class Settings(Record):
    """The environment of one function. Errors: MissingSettings, where a required variable is read and not set."""

    environment: Mapping[str, str]

    stage = _Setting("STAGE", _text, "local")
    table_name = _Setting("TABLE_NAME", _text)
    knowledge_bucket = _Setting("KNOWLEDGE_BUCKET", _text)
    files_bucket = _Setting("FILES_BUCKET", _text)
    search_bucket = _Setting("SEARCH_BUCKET", _text)
    delivery_queue_url = _Setting("DELIVERY_QUEUE_URL", _text)
    retry_queue_url = _Setting("RETRY_QUEUE_URL", _text)
    agent_queue_url = _Setting("AGENT_QUEUE_URL", _text)
    knowledge_queue_url = _Setting("KNOWLEDGE_QUEUE_URL", _text)
    mail_queue_url = _Setting("MAIL_QUEUE_URL", _text)
    outreach_queue_url = _Setting("OUTREACH_QUEUE_URL", _text)
    search_queue_url = _Setting("SEARCH_QUEUE_URL", _text)
    suggestion_queue_url = _Setting("SUGGESTION_QUEUE_URL", _text)
    timer_queue_url = _Setting("TIMER_QUEUE_URL", _text)
    erase_queue_url = _Setting("ERASE_QUEUE_URL", _text)
    crawl_queue_url = _Setting("CRAWL_QUEUE_URL", _text)
    tool_sync_queue_url = _Setting("TOOL_SYNC_QUEUE_URL", _text)
    signal_queue_url = _Setting("SIGNAL_QUEUE_URL", _text)
    integration_queue_url = _Setting("INTEGRATION_QUEUE_URL", _text)
    mail_events_queue_url = _Setting("MAIL_EVENTS_QUEUE_URL", _text)
    dead_letters_url = _Setting("DEAD_LETTERS_URL", _text)
    facts_dead_letters_url = _Setting("FACTS_DEAD_LETTERS_URL", _text)
    # Where analytics is exported to; empty where it is not.
    analytics_bucket = _Setting("ANALYTICS_BUCKET", _text, "")
    exports_analytics = _Setting("ANALYTICS_EXPORT", lambda text: text == "on", "off")
    retry_delays_seconds = _Setting("RETRY_DELAYS_SECONDS", _text)
    # What follows has the value of the specification, or none, where nothing else is set.
    longest_hop_seconds = _Setting("LONGEST_HOP_SECONDS", int, "900")
    agent_model_id = _Setting("AGENT_MODEL_ID", _text, "")
    _review_model_id = _Setting("REVIEW_MODEL_ID", _text, "")
    # The guardrail of Amazon Bedrock that every turn of a model passes; empty for none.
    guardrail_id = _Setting("GUARDRAIL_ID", _text, "")
    guardrail_version = _Setting("GUARDRAIL_VERSION", _text, "DRAFT")
    embedding_model_id = _Setting("EMBEDDING_MODEL_ID", _text, "")
    base_url = _Setting("BASE_URL", lambda text: text.rstrip("/"), "")
    # The verified address that mail comes from; empty where this deployment sends none.
    mail_from = _Setting("MAIL_FROM", _text, "")
    # What mail is sent with, so that SES reports its bounces; empty where this deployment sends none.
    mail_configuration_set = _Setting("MAIL_CONFIGURATION_SET", _text, "")
    # The domain whose mail comes in; empty where none does.
    inbound_mail_domain = _Setting("INBOUND_MAIL_DOMAIN", _text, "")
    # How many mails of each kind all organizations together request in an hour.
    codes_per_hour = _Setting("CODES_PER_HOUR", int, "600")
    invitations_per_hour = _Setting("INVITATIONS_PER_HOUR", int, "200")
    outreach_per_hour = _Setting("OUTREACH_PER_HOUR", int, "1000")
    # Whether anyone may sign up, or only people whom the operator adds or a member invites.
    sign_up_is_open = _Setting("SIGN_UP", lambda text: text == "open", "closed")
    # In how many of the last 60 minutes an organization was refused before a refusal names unusual traffic.
    # SHA-256 of the secret that a proxy before the gateway sends; empty where there is no such proxy.
    proxy_secret_hash = _Setting("PROXY_SECRET_HASH", _text, "")
    fair_use_notice_minutes = _Setting("FAIR_USE_NOTICE_MINUTES", int, "10")
    # Where live connections are opened, and the function that posts to them.
    live_url = _Setting("LIVE_URL", _text, "")
    live_function = _Setting("LIVE_FUNCTION", _text, "")
    _allow_loopback_urls = _Setting("ALLOW_LOOPBACK_URLS", _text, "false")
    _local_endpoint_url = _Setting("LOCAL_ENDPOINT_URL", _text, "")
    _bedrock_endpoint_url = _Setting("BEDROCK_ENDPOINT_URL", _text, "")
    _services_url = _Setting("SERVICES_URL", _text, "")

    def queue_url(self, name: str) -> str:
        """Return the address of a queue by its name in ALL_QUEUES, in lower case: `mail`. Errors: MissingSettings."""
        url: str = getattr(self, f"{name}_queue_url")
        return url

    def queue_url_of(self, arn: str) -> str:
        """Return the address of a queue of this function by its ARN; empty if this function has no such queue."""
        name = arn.rpartition(":")[2]
        urls = (self.environment.get(variable, "") for variable in ALL_QUEUES)
        return next((url for url in urls if url.rpartition("/")[2] == name), "")

    @property
    def allow_loopback_urls(self) -> bool:
        """Whether webhooks may point at this machine: only on a laptop, as the template's rule says too."""
        return self.stage == "local" and self._allow_loopback_urls == "true"

    @property
    def local_endpoint_url(self) -> str | None:
        """Where the emulated AWS is, for functions in containers; None anywhere else."""
        return (self._local_endpoint_url or None) if self.stage == "local" else None

    @property
    def bedrock_endpoint_url(self) -> str | None:
        """Where Bedrock's API is, on a laptop that has a model; None for where the other services are."""
        return (self._bedrock_endpoint_url or None) if self.stage == "local" else None

    @property
    def live_endpoint(self) -> str:
        """Where the API is that posts to live connections: at the same address, over HTTP."""
        return self.live_url.replace("ws", "http", 1)  # and wss becomes https

    @property
    def live_origin(self) -> str:
        """Where a page's policy lets it open live connections: their address without its path; empty without them."""
        return "/".join(self.live_url.split("/")[:3])

    @property
    def services_url(self) -> str | None:
        """Where stand-ins of the integrations' services are, on a laptop; None for the services themselves."""
        return (self._services_url or None) if self.stage == "local" else None

    @property
    def review_model_id(self) -> str:
        """The model that judges tool calls before they run: the agent's own, unless another is set."""
        return self._review_model_id or self.agent_model_id


@cache
def settings() -> Settings:
    """Return this execution environment's settings. A test clears them with `settings.cache_clear()`."""
    return Settings(MappingProxyType(dict(os.environ)))


def declare(*variables: str) -> tuple[str, ...]:
    """Declare the variables that a function needs in addition to EVERYWHERE, and return them. Called once, at start.

    Errors: MissingSettings, in Lambda, where one is not set. Elsewhere (tests, tools that read the routes) there is no
    environment to check.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        missing = [name for name in (*EVERYWHERE, *variables) if name not in os.environ]
        if missing:
            raise MissingSettings(*missing)
    return variables
