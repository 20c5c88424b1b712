"""Knowledge bases in a directory, searched as in production."""

from collections.abc import Iterable
from pathlib import Path

from helpdesk.knowledge.index import FORMAT, IndexSearcher, edit_of
from helpdesk.knowledge.vectorizing import prepare
from helpdesk.search.embeddings.embedder import Embedder
from helpdesk.search.s3_index import directory


def searcher(folder: Path, documents: Iterable[tuple[str, str, str]], model: Embedder) -> IndexSearcher:
    """Return a searcher of documents, given as id, title and Markdown, that are indexed in a directory."""
    prepared = [prepare(name, name, 1, title, None, text, model) for name, title, text in documents]
    edit = edit_of([], prepared)
    assert edit.beside is not None
    folder.mkdir(parents=True, exist_ok=True)
    directory.apply(FORMAT.create(folder), edit)
    edit.beside(folder)
    return IndexSearcher(FORMAT.open(folder), folder)


def shop() -> list[tuple[str, str, str]]:
    """Return the ten documents of a shop."""
    folder = Path(__file__).resolve().parents[1] / "unit" / "knowledge" / "shop"
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    return [(name, text.partition("\n")[0].lstrip("# "), text) for name, text in texts.items()]
