"""What a key may be called (Specification: Limits, Key name)."""

import pytest

from helpdesk.accounts.secret_keys.errors import InvalidKeyName
from helpdesk.accounts.secret_keys.service import require_name


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a", "a"),
        ("Shop server", "Shop server"),
        ("  Shop server\n", "Shop server"),
        ("\ufeffShop", "Shop"),
        ("x" * 40, "x" * 40),
        (" " * 50 + "x" * 40 + " " * 50, "x" * 40),
        ("😀" * 40, "😀" * 40),
        ("0", "0"),
    ],
)
def test_a_name_of_1_to_40_characters_after_trimming_is_kept_trimmed(sent: str, kept: str) -> None:
    assert require_name(sent) == kept


@pytest.mark.parametrize("sent", ["", " ", "\t\n\u3000\ufeff", "x" * 41, "😀" * 41, "x" + " " * 39 + "x"])
def test_any_other_name_is_refused(sent: str) -> None:
    with pytest.raises(InvalidKeyName):
        require_name(sent)
