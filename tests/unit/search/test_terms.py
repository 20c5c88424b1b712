"""The terms of a text, and the words of a search."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.search.terms import LONGEST_WORD, MOST_WORDS, Sought, Word, folded, sought, terms_of, words_of

IN_USE = range(0x3130)
"""Code points of scripts that customers write, without those of Han and Hangul."""


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Where is my refund?", ["where", "is", "my", "refund"]),
        ("Crème BRÛLÉE", ["creme", "brulee"]),
        ("Straße nach Łódź", ["strasse", "nach", "lodz"]),
        ("Ёлка и Йод", ["елка", "и", "йод"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("don't don’t", ["don", "t", "don", "t"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("हिन्दी में।", ["हिन्दी", "में"]),
        ("退款订单", ["退款", "款订", "订单", "单"]),
        ("iPhone手机", ["iphone", "手机", "机"]),
        ("水", ["水"]),
        ("ｻｰﾊﾞｰ・ガイド", ["サー", "ーバ", "バー", "ー", "ガイ", "イド", "ド"]),
        ("환불은", ["환불", "불은", "은"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("مُحَمَّد", ["محمد"]),
        ("إلى مدرسـة ١٢", ["الي", "مدرسه", "12"]),
        ("דָּבָר והחשבונית", ["דבר", "והחשבונית", "חשבונית"]),
        ("بالفاتورة وفاتورة", ["بالفاتوره", "فاتوره", "وفاتوره", "فاتوره"]),
        ("👍🏽 ❤️ -- ... ++", []),
        ("", []),
    ],
)
def test_a_text_is_split_into_words_in_any_script(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("ERR_CONN_RESET", "errconnreset", ["err", "conn", "reset"]),
        ("kebab-case", "kebabcase", ["kebab", "case"]),
        ("E-Mail", "email", ["e", "mail"]),
        ("(C#)", "c#", ["c"]),
        ("C++,", "c++", ["c"]),
        (".NET", ".net", ["net"]),
        ("4.8.", "4.8", ["4", "8"]),
        ("localhost:8080", "localhost:8080", ["localhost", "8080"]),
        ("/etc/nginx.conf", "etc/nginx.conf", ["etc", "nginx", "conf"]),
        ("std::vector", "std::vector", ["std", "vector"]),
        ("בית־ספר", "ביתספר", ["בית", "ספר"]),
        ("ERR_TIMEOUTが出る", "errtimeout", ["err", "timeout"]),
    ],
)
def test_what_has_signs_inside_is_a_word_as_a_whole_and_by_its_parts(
    text: str, whole: str, parts: list[str]
) -> None:
    assert {whole, *parts} <= set(terms_of(text))
    assert next(words_of(text)).whole == whole


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
        "john.smith+shop@mail.example.com",
        "@mail.example.com",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("John Smi", [(Word("john"), False), (Word("smi"), True)]),
        ("x", []),
        ("x y refund", [(Word("refund"), True)]),
        ("refund refund", [(Word("refund"), True)]),
        ("order-no late", [(Word("orderno", ("order", "no")), False), (Word("late"), True)]),
        ("J.Smith@example.com late", [(Word("j.smith@example.com"), False), (Word("late"), True)]),
        ("smith@exam", [(Word("smith@exam"), True)]),
        ("@example.com", [(Word("@example.com"), True)]),
        ("4.8", [(Word("4.8"), True)]),
        ("退款订 单", [(Word(None, ("退款", "款订")), False), (Word("单"), True)]),
        ('"a AND (b OR -c)" *:* [1 TO 2]', [(Word("and"), False), (Word("or"), False), (Word("to"), True)]),
    ],
)
def test_a_search_has_words_and_the_last_one_is_a_prefix(text: str, words: list[tuple[Word, bool]]) -> None:
    assert [(each.word, each.prefix) for each in sought(text)] == words


def test_in_a_search_for_customers_every_word_is_a_prefix() -> None:
    assert sought("jo smi", prefixes=True) == [
        Sought(Word("jo"), prefix=True),
        Sought(Word("smi"), prefix=True),
    ]


def test_a_long_word_is_cut_and_so_is_a_search_of_many_words() -> None:
    assert terms_of("a" * 100) == ["a" * LONGEST_WORD]
    assert sought("a" * 100) == [Sought(Word("a" * LONGEST_WORD), prefix=True)]
    assert len(sought(" ".join(f"word{n}" for n in range(60)))) == MOST_WORDS


def test_every_letter_is_part_of_a_word() -> None:
    letters = [chr(code) for code in IN_USE if unicodedata.category(chr(code)) in {"Ll", "Lo", "Nd"}]

    assert [letter for letter in letters if folded(letter) and not terms_of(letter)] == []


@given(st.text(max_size=200) | st.text("aé1_-.@#+/ 水ー가ไי", max_size=40))
def test_a_text_is_found_by_each_of_its_own_words(text: str) -> None:
    terms = set(terms_of(text))
    for word in words_of(text):
        assert word.whole is None or any(term.startswith(word.whole) for term in terms)
        assert terms.issuperset(word.parts)


@given(st.text(max_size=100))
def test_terms_have_no_spaces_and_folding_again_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    for term in terms_of(text):
        assert term.split() == [term]
