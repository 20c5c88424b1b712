"""SHA-256 digests: the only form in which secrets are stored and in which addresses appear in keys."""

import hashlib


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text (UTF-8) as 64 lowercase hexadecimal characters."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_hex_of(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 lowercase hexadecimal characters."""
    return hashlib.sha256(data).hexdigest()
