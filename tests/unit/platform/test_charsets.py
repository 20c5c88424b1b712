"""Bytes without a declared charset."""

import pytest

from helpdesk.platform import charsets


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Grüße 日本語".encode(), "Grüße 日本語"),
        ("Grüße 日本語".encode("utf-8-sig"), "Grüße 日本語"),
        ("Grüße 日本語".encode("utf-16"), "Grüße 日本語"),
        ("“Grüße” – 5 €".encode("cp1252"), "“Grüße” – 5 €"),
        ("日本語".encode() + b"\xff", "日本語\ufffd"),
        (b"", ""),
    ],
)
def test_text_without_a_charset_is_utf_8_or_western(body: bytes, text: str) -> None:
    assert charsets.decoded(body) == text
