"""Who can call a route, in words and as OpenAPI writes it."""

from helpdesk.api.admission.anonymous import RATES, AddressLimit
from helpdesk.api.admission.caller import Access, KeyRule, Role, Scope
from helpdesk.api.routing.api import Route


def access_of(route: Route) -> str:
    """Return the sentences that say who can call a route, and what limits the calls."""
    access = route.access
    if route.limit is not None:
        return f"Needs no credential. {_limited(route.limit)}"
    charged = (
        f"Counts as {'an' if route.request_class.value[0] in 'aeiou' else 'a'} {route.request_class.value}."
    )
    if access.key_rule is KeyRule.ONLY:
        return f"Accepts a secret key only. {charged}"
    person = "any member" if access.role is Role.MEMBER else "an admin or owner"
    if access.key_rule is KeyRule.ALLOWED:
        return f"Accepts a secret key, or the access token of {person}. {charged}"
    scope = "" if access.scope is Scope.API else f" A program's login needs the scope `{access.scope}`."
    return f"Accepts the access token of {person}, and no secret key.{scope} {charged}"


def _limited(limit: AddressLimit) -> str:
    if limit is AddressLimit.STATIC:
        return "Does not count against a rate limit."
    if limit is AddressLimit.OWN:
        return "Limited for each network address and in total (see the guide to rate limits)."
    if limit is AddressLimit.SIGNED:
        return "The service signs its requests with the secret of the app. Costs no organization's allowance."
    per_hour, burst = RATES[limit]
    return f"Limited to {per_hour:,} requests an hour for each network address, with a burst of {burst}."


def security_of(access: Access) -> list[dict[str, list[str]]]:
    """Return the security requirements of a route, as OpenAPI writes them."""
    if access is Access.PUBLIC:
        return []
    if access.key_rule is KeyRule.ONLY:
        return [{"secretKey": []}]
    if access.key_rule is KeyRule.ALLOWED:
        return [{"secretKey": []}, {"accessToken": []}]
    return [{"accessToken": []}]
