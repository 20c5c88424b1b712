"""A folder of Markdown, indexed by the code that runs in production. Vectors are kept from one run to the next."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from helpdesk.knowledge.index import FORMAT, IndexSearcher, edit_of
from helpdesk.knowledge.vectorizing import prepare
from helpdesk.platform.digest import sha256_hex
from helpdesk.search.embeddings.embedder import Embedder, Vectors
from helpdesk.search.embeddings.minilm import MiniLm
from helpdesk.search.s3_index import directory
from helpdesk_files import reading
from scripts.evaluation.questions import ROOT

_KEPT = ROOT / ".local" / "evaluation"


class RememberingModel:
    """The embedder of the functions. It embeds a text once, also over several runs."""

    def __init__(self) -> None:
        self._model = MiniLm()
        self._file = _KEPT / f"{self._model.kind}.npz"
        self._found: dict[str, Vectors] = {}
        self._new = False
        if self._file.exists():
            with np.load(self._file) as kept:
                self._found = dict(zip(kept["names"].tolist(), kept["vectors"], strict=True))

    @property
    def model_id(self) -> str:
        """The id of the embedder."""
        return self._model.model_id

    @property
    def kind(self) -> str:
        """The kind of the embedder."""
        return self._model.kind

    @property
    def calibrated(self) -> bool:
        """Whether confidence was calibrated with it."""
        return self._model.calibrated

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that it knows."""
        return self._model.languages

    @property
    def multilingual(self) -> Embedder | None:
        """The embedder for other languages."""
        return self._model.multilingual

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, one row each."""
        return np.stack([self.question(text) for text in texts])

    def question(self, text: str) -> Vectors:
        """Return the vector of a text."""
        name = sha256_hex(text)
        if name not in self._found:
            self._found[name], self._new = self._model.question(text), True
        return self._found[name]

    def keep(self) -> None:
        """Write what is known for the next run."""
        if self._new:
            _KEPT.mkdir(parents=True, exist_ok=True)
            np.savez(
                self._file, names=np.array(list(self._found)), vectors=np.stack(list(self._found.values()))
            )


@contextmanager
def indexed(folder: Path, model: Embedder) -> Iterator[IndexSearcher]:
    """Provide an index of a folder's Markdown, with paths in the folder as document ids."""
    documents = []
    for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.mdx")]):
        name = path.relative_to(folder).as_posix()
        text = reading.read(name, path.read_text(encoding="utf-8"))
        documents.append(prepare(name, name, 1, text.title, None, text.body, model, path=name))
    with tempfile.TemporaryDirectory() as place:
        index = FORMAT.create(Path(place))
        edit = edit_of([], documents)
        directory.apply(index, edit)
        if edit.beside is not None:
            edit.beside(Path(place))
        yield IndexSearcher(FORMAT.open(Path(place)), Path(place))
