"""One version for everything that is released together."""

import json
import re
import tomllib
from pathlib import Path

from helpdesk import __version__
from helpdesk_cli import __version__ as cli_version
from tests.support.template import ROOT


def test_the_clients_have_the_version_of_the_product() -> None:
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]["version"]
    javascript = json.loads((ROOT / "clients/javascript/package.json").read_text())["version"]

    assert (cli_version, python, javascript) == (__version__, __version__, __version__)


def test_the_changelog_describes_the_version() -> None:
    sections = re.findall(r"^## \[(.+?)\]", Path(ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert sections[:2] == ["Unreleased", __version__]
