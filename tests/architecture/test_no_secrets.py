"""No credential of a real service is in the repository, by the forms in which services write them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORMS = re.compile(
    rb"(?P<github>\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60}))"
    rb"|(?P<slack>\bxox[abeoprs]-[0-9]{9,}-[0-9A-Za-z-]{20})"
    rb"|(?P<discord>\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})"
    rb"|(?P<linear>\blin_(?:api|oauth|wh)_[A-Za-z0-9]{32})"
    rb"|(?P<aws>\b(?:AKIA|ASIA)[A-Z2-7]{16}\b)"
    rb"|(?P<key>-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40})"
)
DOCUMENTED = {b"AKIAIOSFODNN7EXAMPLE"}  # AWS's own example


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git")
def test_no_file_holds_a_credential_of_a_service() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout
    names = [name for name in listed.decode().split("\0") if name]
    assert len(names) > 1_000
    found = [
        f"{name}: {match.lastgroup}"
        for name in names
        if (ROOT / name).is_file()
        for match in FORMS.finditer((ROOT / name).read_bytes())
        if match[0] not in DOCUMENTED
    ]

    assert found == []


def test_the_forms_are_those_in_which_services_write_credentials() -> None:
    written = {
        "github": "ghs_" + "a1" * 18,
        "slack": "xoxb-" + "1" * 12 + "-" + "2" * 13 + "-" + "a" * 24,
        "discord": "M" + "T" * 25 + "." + "G" * 6 + "." + "x" * 38,
        "linear": "lin_oauth_" + "0f" * 32,
        "aws": "AKIA" + "A2" * 8,
        "key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "M" * 64,
    }

    for kind, text in written.items():
        match = FORMS.search(text.encode())
        assert match is not None, kind
        assert match.lastgroup == kind
