"""What others ask of an organization: its limits and its name."""

from collections.abc import Sequence
from dataclasses import dataclass

from helpdesk.admission.limits import RATES, VERSION, Tier
from helpdesk.organizations import repository
from helpdesk.organizations.schemas import Bucket, Buckets, LimitsAnswer


def limits(organization: str) -> LimitsAnswer:
    """Return the organization's tier and allowances (Specification: GET /billing/limits)."""
    tier = Tier(repository.get(organization)["tier"])
    if tier is Tier.UNLIMITED:
        return LimitsAnswer(tier=tier, version=VERSION, limits=None)
    rates = {
        request_class.value: Bucket(per_minute=rate.per_minute, burst=rate.burst)
        for request_class, rate in RATES[tier].items()
    }
    return LimitsAnswer(tier=tier, version=VERSION, limits=Buckets(**rates))


def name_of(organization: str) -> str:
    """Return the organization's name, as which a key speaks in a conversation."""
    name: str = repository.get(organization)["name"]
    return name


@dataclass(frozen=True, slots=True)
class Named:
    """An organization by what people know it."""

    id: str
    name: str
    slug: str


def names_of(wanted: Sequence[str]) -> list[Named]:
    """Return how organizations are called, in the order given; one that is gone is left out. One call for a hundred."""
    return [Named(item["id"], item["name"], item["slug"]) for item in repository.get_many(wanted)]
