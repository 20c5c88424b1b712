"""A folder of Markdown, indexed by the code that runs in production. Vectors are kept from one run to the next."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from helpdesk.knowledge.index import FORMAT, IndexSearcher, edit_of
from helpdesk.knowledge.vectorizing import prepare
from helpdesk.platform.digest import sha256_hex
from helpdesk.search.embeddings import minilm
from helpdesk.search.embeddings.embedder import Embedder, Tokens, Vectors
from helpdesk.search.embeddings.minilm import MiniLm
from helpdesk.search.s3_index import directory
from helpdesk_files import reading
from scripts.evaluation.questions import ROOT

_KEPT = ROOT / ".local" / "evaluation"


class RememberingModel:
    """The embedder of the functions. It reads a text once, also over several runs."""

    def __init__(self) -> None:
        self._model = MiniLm()
        self._vectors = _Kept(_KEPT / f"{self._model.kind}.npz")
        self._tokens = _Kept(_KEPT / f"{self._model.kind}-tokens.npz")
        self._read: dict[str, Vectors] = {}
        self.has_tokens = True

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

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, one row each."""
        return np.stack([self.question(text) for text in texts])

    def question(self, text: str) -> Vectors:
        """Return the vector of a text."""
        vector: Vectors = self._vectors.get(text, lambda: minilm.pooled(self._outputs(text)))
        return vector

    def tokens(self, text: str) -> Tokens | None:
        """Return the tokens of a text with their vectors; None if it is asked to do without."""
        if not self.has_tokens:
            return None
        # Half the size, and no score changes in its third digit.
        rows = self._tokens.get(text, lambda: self._outputs(text).astype(np.float16))
        return minilm.tokens(text, rows.astype(np.float32))

    def keep(self) -> None:
        """Write what is known for the next run."""
        self._vectors.keep()
        self._tokens.keep()

    def _outputs(self, text: str) -> Vectors:
        if text not in self._read:
            self._read[text] = minilm.outputs(text)
        return self._read[text]


class _Kept:
    """Arrays by text, in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._found: dict[str, NDArray[np.floating]] = {}
        self._new = False
        if file.exists():
            with np.load(file) as kept:
                self._found = dict(kept)

    def get(self, text: str, make: Callable[[], NDArray[np.floating]]) -> NDArray[np.floating]:
        name = sha256_hex(text)
        if name not in self._found:
            self._found[name], self._new = make(), True
        return self._found[name]

    def keep(self) -> None:
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, allow_pickle=False, **self._found)


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
