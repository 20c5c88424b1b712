"""SHA-256 digests: the only form in which secrets are stored and in which addresses appear in keys."""

import hashlib


def sha256_hex(content: str | bytes) -> str:
    """Return the SHA-256 of bytes, or of a text in UTF-8, as 64 lowercase hexadecimal characters."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
