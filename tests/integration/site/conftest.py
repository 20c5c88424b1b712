"""What every test of pages begins with: an execution environment that remembers nothing."""

import pytest

from helpdesk.site import article_cache, articles, authors, contents, router
from tests.support.in_process import InProcess

IN_PROCESS = InProcess("helpdesk.site.documents")


class Dice:
    """Counts every view, or none."""

    def __init__(self, shown: int) -> None:
        self.shown = shown

    def randrange(self, _: int) -> int:
        """Return the number that is shown."""
        return self.shown


@pytest.fixture(autouse=True)
def new_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without what an earlier test has left, and count no views."""
    router.forget()
    contents.forget()
    article_cache.forget()
    authors.forget()
    monkeypatch.setattr(article_cache, "process", lambda: IN_PROCESS)
    monkeypatch.setattr(articles, "_dice", Dice(1))
