"""Every number of the rate limit table (Specification: Limits, Rate limits)."""

import pytest

from helpdesk.api.admission.limits import Plan, RequestClass, Tier, rate_of, tier_of

R, W, U = RequestClass.READ, RequestClass.WRITE, RequestClass.UPLOAD


@pytest.mark.parametrize(
    ("tier", "request_class", "per_minute", "burst"),
    [
        (Tier.EXPLORE, R, 120, 20),
        (Tier.EXPLORE, W, 30, 10),
        (Tier.EXPLORE, U, 5, 2),
        (Tier.STANDARD, R, 6_000, 1_000),
        (Tier.STANDARD, W, 1_200, 300),
        (Tier.STANDARD, U, 300, 100),
        (Tier.HIGHER, R, 12_000, 2_000),
        (Tier.HIGHER, W, 2_400, 600),
        (Tier.HIGHER, U, 600, 200),
        (Tier.HIGHEST, R, 24_000, 4_000),
        (Tier.HIGHEST, W, 4_800, 1_200),
        (Tier.HIGHEST, U, 1_200, 400),
        (Tier.UNLIMITED, W, 60_000, 60_000),
    ],
)
def test_a_tier_has_the_rate_and_burst_of_the_specification(
    tier: Tier, request_class: RequestClass, per_minute: int, burst: int
) -> None:
    rate = rate_of(tier, request_class)

    assert (rate.per_minute, rate.burst) == (per_minute, burst)
    assert rate.interval_us * per_minute == 60_000_000


@pytest.mark.parametrize(
    ("plan", "api_limits", "unlimited_api", "tier"),
    [
        (Plan.EXPLORE, False, False, Tier.EXPLORE),
        (Plan.EXPLORE, True, False, Tier.EXPLORE),
        (Plan.STANDARD, False, False, Tier.STANDARD),
        (Plan.STANDARD, True, False, Tier.HIGHER),
        (Plan.PRO, False, False, Tier.HIGHER),
        (Plan.PRO, True, False, Tier.HIGHEST),
        (Plan.EXPLORE, False, True, Tier.UNLIMITED),
        (Plan.STANDARD, True, True, Tier.UNLIMITED),
        (Plan.PRO, True, True, Tier.UNLIMITED),
    ],
)
def test_the_plan_and_its_add_ons_determine_the_tier(
    plan: Plan, api_limits: bool, unlimited_api: bool, tier: Tier
) -> None:
    assert tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api) is tier
