"""Functions that offer search among other things start without the search library."""

import subprocess
import sys

from tests.support.template import ROOT


def test_the_search_library_is_imported_by_the_first_search_only() -> None:
    program = (
        "import sys; import helpdesk.search.service, helpdesk.search.jobs; "
        "assert 'tantivy' not in sys.modules; import helpdesk.search.index; assert 'tantivy' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "layers" / "core",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
