"""How well the project's own guides are found: questions of visitors, and questions that nothing there answers.

What the constants of helpdesk.knowledge.retrieval are tuned by. `questions.json` names for each question the guides
that answer it; a failure lists what went wrong.
"""

import json
from pathlib import Path

import pytest

from helpdesk.knowledge import segments
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.markdown import sections
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from tests.support.template import ROOT

QUESTIONS = json.loads((Path(__file__).parent / "questions.json").read_text())
ANSWERED_RIGHT = 0.8
HANDED_OFF = 0.9


@pytest.fixture(scope="module")
def guides(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    home = tmp_path_factory.mktemp("index") / "files"
    home.mkdir()
    documents = []
    for path in sorted((ROOT / "docs" / "guides").glob("*.md")):
        text = path.read_text()
        title = text.partition("\n")[0].lstrip("# ")
        documents.append(segments.IndexedDocument(path.name, title, None, sections(title, text)))
    change = segments.commit(home, None, [], documents)
    for name, data in change.files.items():
        (home / name).write_bytes(data)
    (home / "meta.json").write_text(json.dumps(change.meta))
    return IndexSearcher(segments.open_index(home))


def best(guides: IndexSearcher, question: str) -> Passage | None:
    found = search(guides, question, limit=1)
    return found[0] if found and found[0].score >= CONFIDENT else None


def test_most_questions_are_answered_from_the_right_guide(guides: IndexSearcher) -> None:
    wrong: list[str] = []
    for question, *right in QUESTIONS["answerable"]:
        passage = best(guides, question)
        if passage is None or passage.document_id not in right:
            wrong.append(f"{question} -> {(passage.document_id, passage.heading) if passage else 'handoff'}")
    assert 1 - len(wrong) / len(QUESTIONS["answerable"]) >= ANSWERED_RIGHT, wrong


def test_almost_all_questions_beside_the_guides_are_handed_off(guides: IndexSearcher) -> None:
    answered: list[str] = []
    for question in QUESTIONS["unanswerable"]:
        passage = best(guides, question)
        if passage is not None:
            answered.append(f"{question} -> {(passage.document_id, passage.heading, passage.score)}")
    assert 1 - len(answered) / len(QUESTIONS["unanswerable"]) >= HANDED_OFF, answered
