"""The address that a title becomes, and which addresses someone may choose."""

from itertools import islice

import pytest

from helpdesk.knowledge.errors import DocumentSlugInvalid
from helpdesk.knowledge.slugs import candidates, require_slug


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Étude: crème brûlée", "etude-creme-brulee"),
        ("Don't panic", "dont-panic"),
        ("返品について", "返品について"),
        ("A_b/c.d", "a-b-c-d"),
        ("x" * 120, "x" * 74),
    ],
)
def test_a_slug_is_made_from_the_title(title: str, slug: str) -> None:
    assert list(islice(candidates(title), 2)) == [slug, f"{slug}-2"]


@pytest.mark.parametrize("slug", ["", "A", "a b", "a--b", "-a", "a-", "é", "a/b", "a#b", "..", "x" * 81])
def test_a_slug_in_another_form_is_refused(slug: str) -> None:
    with pytest.raises(DocumentSlugInvalid):
        require_slug(slug)
