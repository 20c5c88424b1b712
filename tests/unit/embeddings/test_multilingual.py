"""The embedder for other languages: texts that say the same in two languages are alike."""

import numpy as np
import pytest

from helpdesk.search.embeddings.multilingual import Multilingual

PAGES = [
    "Track your parcel with the number in the e-mail.",
    "Reset your password with the link that we send.",
]


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Wo ist mein Paket?", 0),
        ("¿Dónde está mi paquete?", 0),
        ("荷物の追跡番号はどこですか", 0),
        ("我忘记密码了", 1),
        ("비밀번호를 잊어버렸어요", 1),
        ("ลืมรหัสผ่าน", 1),
        ("نسيت كلمة المرور", 1),
    ],
)
def test_a_question_is_most_like_the_page_about_it_in_another_language(question: str, page: int) -> None:
    found = Multilingual().passages(PAGES) @ Multilingual().question(question)

    assert found.argmax() == page
    assert np.ptp(found) > 0.05


def test_vectors_have_length_one() -> None:
    found = Multilingual().passages(["", "Wo?", "a" * 5_000])

    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=0.01)
