"""The vectors of a document: what is embedded, in which language, and what a stopped worker leaves behind."""

from collections.abc import Sequence

import numpy as np
import pytest

from helpdesk.knowledge.index import IndexedDocument
from helpdesk.knowledge.language import language_of, terms
from helpdesk.knowledge.markdown import Section
from helpdesk.knowledge.vectorizing import SAVED_AT_ONCE, WINDOW_CHARACTERS, OutOfTime, prepare, texts_of
from helpdesk.search.embeddings.embedder import Vectors


class Counting:
    """A model that counts the texts that it embeds."""

    model_id = "counting"
    kind = "counting"
    calibrated = True
    multilingual: "Counting | None" = None

    def __init__(self, languages: frozenset[str] | None = None) -> None:
        self.languages = languages
        self.texts: list[str] = []

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def question(self, text: str) -> Vectors:
        raise AssertionError


class Second(Counting):
    """Another model."""

    kind = "second"


class WithSecond(Counting):
    """A model with one for other languages."""

    multilingual = Second()


class Kept:
    """Saved vectors, in memory."""

    def __init__(self) -> None:
        self.parts: dict[tuple[str, int], Vectors] = {}

    def load(self, kind: str, start: int) -> Vectors | None:
        return self.parts.get((kind, start))

    def save(self, kind: str, start: int, vectors: Vectors) -> None:
        self.parts[kind, start] = vectors


LONG = "\n\n".join(f"## Part {number}\n\nText {'x' * number}." for number in range(2 * SAVED_AT_ONCE + 5))


def prepared(text: str, model: Counting, store: Kept | None = None, *, times: int = 99) -> IndexedDocument:
    left = iter([True] * times)
    return prepare(
        "doc", "rev", 1, "Title", None, text, model, store=store, time_is_left=lambda: next(left, False)
    )


def test_a_section_is_embedded_with_the_headings_above_it() -> None:
    model = Counting()

    prepared("# Orders\n\n## Refunds\n\nWithin **14 days**, see [how](https://example.com/x).", model)

    assert model.texts == ["Title: Orders: Refunds. Within 14 days , see how."]


def test_a_long_section_has_a_vector_for_about_each_hundred_words() -> None:
    model = Counting()

    found = prepared("Twenty words of a sentence that is as long as most of them are in guides. " * 20, model)

    assert found.vectors is not None
    assert found.vectors.sections == [0, 0, 0]
    assert all(len(text) <= len("Title. ") + WINDOW_CHARACTERS for text in model.texts)


@pytest.mark.parametrize(
    "text", ["", "```\n\n```", "![](x.png)", "<b></b>", "a" * 5_000, "| a | b |\n|---|---|"]
)
def test_any_section_has_a_text(text: str) -> None:
    found = texts_of("Title", Section("", text, 0))

    assert found
    assert all(part.startswith("Title.") for part in found)


def test_a_language_that_the_model_does_not_know_has_terms_and_no_vectors() -> None:
    model = Counting(frozenset({"en"}))

    found = prepared("Die Rechnungen finden Sie unter Ihrem Konto, wenn Sie angemeldet sind.", model)

    assert (found.language, found.vectors, model.texts) == ("de", None, [])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is my order and when will it arrive?", "en"),
        ("Wo ist mein Paket und wann kommt es an?", "de"),
        ("Où est ma commande et quand va-t-elle arriver ?", "fr"),
        ("¿Dónde está mi pedido y cuándo llega?", "es"),
        ("Где мой заказ и когда он придёт?", "ru"),
        ("docker run -p 80:80 nginx", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text_is_recognized_by_its_stop_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_addresses_say_nothing_about_the_language_of_a_text() -> None:
    links = " ".join(f"[Goals](https://example.io/docs/goals#{n}) example.io di_{n}.io" for n in range(20))

    assert language_of(f"Open the settings. {links}") == "en"
    assert language_of("example.io login", ["en", "it"]) == "en"


@pytest.mark.parametrize(
    ("text", "among", "language"),
    [
        ("Wo ist mein Paket?", ["en", "de"], "de"),
        ("Wo ist mein Paket?", ["en"], "de"),
        ("Lieferzeit nach Österreich", ["en"], "de"),
        ("¿Cómo puedo cambiar mi contraseña?", ["en"], "es"),
        ("How do I add a library?", ["en"], "en"),
        ("upload a 15 meg video", ["en"], "en"),
        ("Paket verloren", ["de"], "en"),
    ],
)
def test_a_question_is_in_another_language_than_the_documents_if_that_is_clear(
    text: str, among: list[str], language: str
) -> None:
    assert language_of(text, among) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("退款需要多久？", "zh"),
        ("アカウントを削除したい", "ja"),
        ("ｱｶｳﾝﾄ", "ja"),
        ("ERR_CONN_RESETが出ます", "ja"),
        ("https://example.com/settings を開けません", "ja"),
        ("환불은 언제 되나요?", "ko"),
        ("ลืมรหัสผ่าน", "th"),
        ("ລືມລະຫັດຜ່ານ", "lo"),
        ("ភ្លេចពាក្យសម្ងាត់", "km"),
        ("စကားဝှက်မေ့နေသည်", "my"),
        ("نسيت كلمة المرور", "ar"),
        ("رمز عبور را چگونه تغییر دهم؟", "fa"),
        ("שכחתי את הסיסמה", "he"),
        ("Πού είναι η παραγγελία μου;", "el"),
        ("Де моє замовлення і коли воно прийде?", "uk"),
        ("Где мой заказ?", "ru"),
        ("पासवर्ड भूल गया", "hi"),
        ("კოდი დამავიწყდა", "ka"),
        ("How do I write 退款 in the subject of a ticket?", "en"),
        ("The “settings” page — and €5", "en"),
    ],
)
def test_a_script_names_a_language_also_beside_english_documents(text: str, language: str) -> None:
    assert language_of(text, ["en"]) == language


def test_terms_are_the_stems_of_their_language() -> None:
    assert terms("Rechnungen", "de") == terms("Rechnung", "de")
    assert terms("Cancellations") == terms("cancellation")


def test_a_long_document_is_saved_while_it_is_embedded() -> None:
    store = Kept()

    found = prepared(LONG, Counting(), store)

    assert sorted(store.parts) == [("counting", start * SAVED_AT_ONCE) for start in range(3)]
    assert found.vectors is not None
    assert found.vectors.size == 2 * SAVED_AT_ONCE + 5


def test_a_short_document_is_not_saved() -> None:
    store = Kept()

    prepared("Short.", Counting(), store)

    assert store.parts == {}


def test_a_second_worker_continues_where_the_first_ran_out_of_time() -> None:
    store, first, second = Kept(), Counting(), Counting()

    with pytest.raises(OutOfTime):
        prepared(LONG, first, store, times=0)
    found = prepared(LONG, second, store)

    assert len(first.texts) == SAVED_AT_ONCE
    assert len(second.texts) == SAVED_AT_ONCE + 5
    assert found.vectors is not None
    whole = prepared(LONG, Counting()).vectors
    assert whole is not None
    assert np.array_equal(found.vectors.rows, whole.rows)


def test_every_try_gets_further_however_little_time_there_is() -> None:
    store, tries = Kept(), 0
    while tries < 10:
        tries += 1
        try:
            prepared(LONG, Counting(), store, times=0)
        except OutOfTime:
            continue
        break

    assert tries == 3


def test_a_worker_without_time_makes_some_vectors_of_one_model_and_the_next_makes_the_others() -> None:
    store = Kept()
    for _ in range(5):
        with pytest.raises(OutOfTime):
            prepared(LONG, WithSecond(), store, times=0)

    found = prepared(LONG, WithSecond(), store, times=0)

    whole = prepared(LONG, WithSecond())
    for one, other in ((found.vectors, whole.vectors), (found.multilingual, whole.multilingual)):
        assert one is not None
        assert other is not None
        assert np.array_equal(one.rows, other.rows)
