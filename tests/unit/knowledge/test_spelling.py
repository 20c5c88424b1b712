"""Typing errors in a question, against a few sections."""

from pathlib import Path

import pytest

from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.spelling import MOST, corrected
from tests.support.corpus import searcher
from tests.unit.knowledge.test_retrieval import NoModel

DOCUMENTS = [
    (
        "shop",
        "Shop",
        "Download your invoices. Change the password on the dashboard. The address is on the receipt.",
    ),
    ("api", "API", "A webhook sends each event. Run helpdeskctl to replay it. The route is /v1/webhooks."),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("spelling"), DOCUMENTS, NoModel())


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("where do i downlod it", "where do i download it"),
        ("old invoces", "old invoices"),
        ("chnage my pasword", "change my password"),
        ("the dasshboard", "the dashboard"),
        ("dashboardd", "dashboard"),
        ("my webhok?", "my webhook?"),
        ("what is helpdesctl", "what is helpdeskctl"),
    ],
)
def test_a_word_that_is_one_edit_from_one_of_the_documents_is_corrected(
    corpus: IndexSearcher, asked: str, meant: str
) -> None:
    assert corrected(corpus, asked, "en") == meant


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("the adres", "two edits"),
        ("pvent", "its first letter is another"),
        ("evnt", "it is short"),
        ("Evemt and EVEMT", "a capital letter makes a name"),
        ("recept@example.com or /v1/recept or recept.txt", "a part of an address or a path"),
        ("inverted commas", "a word of the model's vocabulary"),
        ("thankyou for the downloader", "no word of the documents is near, or the documents have its stem"),
        ("dont", "a stop word"),
        ("dashb0ard", "it has a digit"),
        ("replaw", "another ending is another form of the word"),
        ("eventx", "so is none"),
        ("evenzz " * (MOST + 1), "a text with so many unknown words is in another language"),
    ],
)
def test_any_other_word_stays_as_it_is(corpus: IndexSearcher, question: str, why: str) -> None:
    assert corrected(corpus, question, "en") == question, why


def test_words_of_other_languages_are_corrected_by_the_documents_alone(tmp_path: Path) -> None:
    documents = [
        ("konto", "Konto", "Das Passwort ändern Sie in den Einstellungen. Die Rechnung ist im Konto.")
    ]
    german = searcher(tmp_path, documents, NoModel())

    assert corrected(german, "wo sind die einstelungen und die rechnug", "de") == (
        "wo sind die einstellungen und die rechnung"
    )
