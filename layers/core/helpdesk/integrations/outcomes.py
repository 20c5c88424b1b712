"""How work ends other than done."""


class TryLater(Exception):
    """The service cannot answer now. The job is put off, for `seconds` where the service said how long."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


class RateLimited(TryLater):
    """The service takes no more requests for now."""


class OutcomeUnknown(TryLater):
    """The request may have reached the service, and no response came. Look before sending it again."""


class Revoked(Exception):
    """The service rejects our credentials; the text says what an admin has to do."""


class NotConnectedNow(Exception):
    """The connection was removed while work for it was on its way. There is nothing left to do."""


class UnknownJob(Exception):
    """This version knows no such job, as after a step back to an older one. The queue keeps it as a dead letter."""
