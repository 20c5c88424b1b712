"""What a function is told by its environment, read once and frozen."""

import os
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment of one function (template.yaml, Globals and each function's Environment).

    Queue URLs and buckets are empty where the function has no business with them.
    """

    stage: str
    table_name: str
    knowledge_bucket: str
    files_bucket: str
    search_bucket: str
    delivery_queue_url: str
    retry_queue_url: str
    agent_queue_url: str
    knowledge_queue_url: str
    mail_queue_url: str
    search_queue_url: str
    timer_queue_url: str
    erase_queue_url: str
    dead_letters_url: str
    retry_delays_seconds: str
    longest_hop_seconds: int
    allow_loopback_urls: bool
    agent_model_id: str
    fair_use_per_minute: int
    base_url: str
    mail_from: str
    local_endpoint_url: str | None
    max_receives: int

    @classmethod
    def from_environment(cls) -> "Settings":
        """Read the settings; a missing TABLE_NAME is the operator's mistake and stops the function at once."""
        env = os.environ
        stage = env.get("STAGE", "local")
        return cls(
            stage=stage,
            table_name=env["TABLE_NAME"],
            knowledge_bucket=env.get("KNOWLEDGE_BUCKET", ""),
            files_bucket=env.get("FILES_BUCKET", ""),
            search_bucket=env.get("SEARCH_BUCKET", ""),
            delivery_queue_url=env.get("DELIVERY_QUEUE_URL", ""),
            retry_queue_url=env.get("RETRY_QUEUE_URL", ""),
            agent_queue_url=env.get("AGENT_QUEUE_URL", ""),
            knowledge_queue_url=env.get("KNOWLEDGE_QUEUE_URL", ""),
            mail_queue_url=env.get("MAIL_QUEUE_URL", ""),
            search_queue_url=env.get("SEARCH_QUEUE_URL", ""),
            timer_queue_url=env.get("TIMER_QUEUE_URL", ""),
            erase_queue_url=env.get("ERASE_QUEUE_URL", ""),
            dead_letters_url=env.get("DEAD_LETTERS_URL", ""),
            retry_delays_seconds=env.get("RETRY_DELAYS_SECONDS", "30,300,1800,7200"),
            # How long one message waits for a retry at most; SQS allows no more than the default.
            longest_hop_seconds=int(env.get("LONGEST_HOP_SECONDS", "900")),
            # Loopback is for a laptop. The template refuses the switch elsewhere; so does the code.
            allow_loopback_urls=stage == "local" and env.get("ALLOW_LOOPBACK_URLS", "false") == "true",
            agent_model_id=env.get("AGENT_MODEL_ID", ""),
            local_endpoint_url=(env.get("LOCAL_ENDPOINT_URL") or None) if stage == "local" else None,
            # The verified address that mail comes from; empty where this deployment sends none.
            mail_from=env.get("MAIL_FROM", ""),
            base_url=env.get("BASE_URL", "").rstrip("/"),
            fair_use_per_minute=int(env.get("FAIR_USE_PER_MINUTE", "60000")),
            # How often the agent's and the index queue hand out a message: maxReceiveCount in template.yaml.
            max_receives=int(env.get("MAX_RECEIVES", "5")),
        )


@cache
def settings() -> Settings:
    """Return this execution environment's settings. A test clears them with `settings.cache_clear()`."""
    return Settings.from_environment()
