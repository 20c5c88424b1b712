"""What tests call in another process: `platform.isolation`, and in place of `site.documents`."""


def length(body: bytes) -> int:
    """Return how long a body is."""
    return len(body)


def never(*_: object) -> None:
    """Go on for ever."""
    while True:
        pass


def fails(_: bytes) -> None:
    """Fail."""
    raise ValueError


made = never
