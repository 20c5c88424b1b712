"""Keys of signals. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Signal(ItemKey):
    """A signal: a bug or a suggestion that customers report. IDs sort by time."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "SIGNAL"
    organization: str
    signal_id: str


class SignalReporter(ItemKey):
    """A customer who reported a signal, by their id; without a customer, a name, by its SHA-256."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "REPORTER#{reporter_id}"
    organization: str
    signal_id: str
    reporter_id: str


class SignalCommit(ItemKey):
    """A commit that may finish a signal. Its id follows from its hash, so a signal has a commit once."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "COMMIT#{commit_id}"
    organization: str
    signal_id: str
    commit_id: str


class SignalTitle(ItemKey):
    """The signal that has a title or alias, so that no other signal can have it."""

    PK, SK = "ORG#{organization}#SIGNALTITLE#{title_hash}", "TITLE"
    organization: str
    title_hash: str


class SignalVector(ItemKey):
    """The vector of a signal's title, by which similar signals are found."""

    PK, SK = "ORG#{organization}#SIGNALVECTORS", "VECTOR#{signal_id}"
    organization: str
    signal_id: str


def signals(organization: str) -> str:
    """Return GSI1's partition of an organization's signals; sorted by id, so by when they were filed."""
    return f"ORG#{organization}#SIGNALS"


def signals_with(organization: str, status: str) -> str:
    """Return GSI2's partition of an organization's signals with one status; sorted by id."""
    return f"ORG#{organization}#SIGNALS#{status}"


def signal_requests(organization: str) -> str:
    """Return GSI3's partition of the open signals without a card; sorted by id."""
    return f"ORG#{organization}#REQUESTS"


def signal_reporters(organization: str, signal_id: str) -> str:
    """Return GSI2's partition of a signal's reporters; sorted by when they reported it."""
    return f"ORG#{organization}#REPORTERS#{signal_id}"


def customer_reports(organization: str, customer_id: str) -> str:
    """Return GSI1's partition of the signals that a customer reported; sorted by the signals' ids."""
    return f"ORG#{organization}#CUSREPORTS#{customer_id}"
