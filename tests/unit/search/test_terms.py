"""The terms of a text, and the words of a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.search.terms import LONGEST_WORD, MOST_WORDS, Word, folded, terms_of, words_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Where is my refund?", ["where", "is", "my", "refund"]),
        ("Crème BRÛLÉE", ["creme", "brulee"]),
        ("Straße nach Łódź", ["strasse", "nach", "lodz"]),
        ("Ёлка и йод", ["елка", "иод"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("don't", ["don"]),
        ("order-no. 42/7", ["order", "no", "42"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("退款订单", ["退款", "款订", "订单", "单"]),
        ("iPhone手机", ["iphone", "手机", "机"]),
        ("水", ["水"]),
        ("환불은", ["환불", "불은", "은"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("مُحَمَّد", ["محمد"]),
        ("a b c", []),
        ("👍🏽 ❤️", []),
        ("", []),
    ],
)
def test_a_text_is_split_into_words_in_any_script(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_an_address_is_found_by_its_words_as_a_whole_and_by_its_domain() -> None:
    assert terms_of("Write to John.Smith+shop@Mail.Example.com.") == [
        "write",
        "to",
        "john",
        "smith",
        "shop",
        "mail",
        "example",
        "com",
        "@mail.example.com",
        "john.smith+shop@mail.example.com",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("John Smi", [Word(("john",), prefix=False), Word(("smi",), prefix=True)]),
        ("x", []),
        ("x y refund", [Word(("refund",), prefix=True)]),
        ("refund refund", [Word(("refund",), prefix=True)]),
        ("J.Smith@example.com late", [Word(("j.smith@example.com",), False), Word(("late",), True)]),
        ("smith@exam", [Word(("smith@exam",), prefix=True)]),
        ("@example.com", [Word(("@example.com",), prefix=True)]),
        ("退款订 单", [Word(("退款", "款订"), prefix=False), Word(("单",), prefix=True)]),
        (
            '"a AND (b OR -c)" *:* [1 TO 2]',
            [Word(("and",), False), Word(("or",), False), Word(("to",), True)],
        ),
    ],
)
def test_a_search_has_words_and_the_last_one_is_a_prefix(text: str, words: list[Word]) -> None:
    assert words_of(text) == words


def test_in_a_search_for_customers_every_word_is_a_prefix() -> None:
    assert words_of("jo smi", prefixes=True) == [Word(("jo",), prefix=True), Word(("smi",), prefix=True)]


def test_a_long_word_is_cut_and_so_is_a_search_of_many_words() -> None:
    assert terms_of("a" * 100) == ["a" * LONGEST_WORD]
    assert words_of("a" * 100) == [Word(("a" * LONGEST_WORD,), prefix=True)]
    assert len(words_of(" ".join(f"word{n}" for n in range(60)))) == MOST_WORDS


@given(st.text(max_size=200))
def test_a_text_is_found_by_each_of_its_own_words(text: str) -> None:
    terms = set(terms_of(text))
    for word in words_of(text):
        *whole, last = word.terms
        assert terms.issuperset(whole)
        assert last in terms or (word.prefix and any(term.startswith(last) for term in terms))


@given(st.text(max_size=100))
def test_terms_have_no_spaces_and_folding_again_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    for term in terms_of(text):
        assert term.split() == [term]
