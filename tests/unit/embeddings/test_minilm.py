"""Vectors of the built-in model, beside those of the weights that it was made from."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from helpdesk.search.embeddings import minilm, wordpiece
from helpdesk.search.embeddings.minilm import MiniLm

# Computed once with the published 32-bit weights (docs/decisions/0119).
REFERENCE: dict[str, list[float]] = json.loads(Path(__file__).with_name("vectors.json").read_text())
MODEL = MiniLm()


@pytest.mark.parametrize("text", REFERENCE)
def test_a_vector_is_close_to_that_of_the_reference_weights(text: str) -> None:
    assert float(MODEL.question(text) @ np.array(REFERENCE[text])) > 0.998


def test_texts_that_mean_the_same_have_similar_vectors() -> None:
    asked, same, other = MODEL.passages(
        ["How do I reset my password?", "I forgot my login, what now?", "What is the capital of France?"]
    )

    assert asked @ same > 0.5
    assert asked @ other < 0.15


def test_a_vector_does_not_depend_on_the_texts_beside_it() -> None:
    alone = MODEL.question("Where is my parcel?")
    beside = MODEL.passages(["word " * 300, "Where is my parcel?", "?"])[1]

    assert np.array_equal(alone, beside)


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂" * 3_000, "x" * 900_000])
def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    assert np.linalg.norm(MODEL.question(text)) == pytest.approx(1.0, abs=1e-5)


def test_no_text_makes_no_vectors() -> None:
    assert MODEL.passages([]).shape == (0, minilm.DIMENSIONS)


def test_the_vocabulary_is_the_one_that_the_model_was_trained_with() -> None:
    text = Path(wordpiece.__file__).with_name("vocabulary.txt").read_bytes()

    assert (
        hashlib.sha256(text).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    )
