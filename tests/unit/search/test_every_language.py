"""A word of a text is found by the agent, the inbox and suggestions alike, in every language that customers write."""

import pytest

from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import search
from helpdesk.search.documents import Document, Kind
from helpdesk.search.index import FORMAT, Reader, edit_of
from helpdesk.search.s3_index import directory
from helpdesk.search.terms import sought, terms_of
from helpdesk.suggestions import service as suggestions
from tests.support.corpus import searcher
from tests.unit.knowledge.test_retrieval import NoModel

TEXTS = {
    "en": "The invoice is sent on the first day of the month.",
    "de": "Die Rechnungsadresse ändern Sie in den Einstellungen.",
    "fr": "Où est la facture ? Elle est envoyée le premier jour du mois.",
    "ru": "Новый счёт приходит каждый месяц.",
    "uk": "Рахунок приходить щомісяця, і його можна завантажити.",
    "el": "Το τιμολόγιο στέλνεται κάθε μήνα στον πελάτη.",
    "ar": "تُرسَل الفاتورة في أول كل شهر إلى بريدك",
    "he": "החשבונית נשלחת בכל חודש לכתובת שלך",
    "fa": "صورت‌حساب در پایان هر ماه فرستاده می‌شود",
    "hi": "चालान हर महीने की पहली तारीख को भेजा जाता है",
    "ja": "請求書は毎月一日にﾒｰﾙで送られます。",
    "zh": "發票在每月一號寄出，可以在帳單頁面下載。",
    "ko": "청구서는 매월 1일에 발행됩니다.",
    "th": "ใบแจ้งหนี้จะออกทุกวันที่หนึ่งของเดือน",
    "km": "វិក្កយបត្រត្រូវបានផ្ញើរៀងរាល់ខែ",
}
WORDS = {
    "en": ["invoice", "MONTH"],
    "de": ["rechnungsadresse", "EINSTELLUNGEN"],
    "fr": ["facture", "envoyee"],
    "ru": ["счет", "НОВЫЙ"],
    "uk": ["рахунок"],
    "el": ["τιμολογιο", "ΠΕΛΆΤΗ"],
    "ar": ["الفاتوره", "اول"],
    "he": ["חשבונית", "חודש"],
    "fa": ["پايان"],
    "hi": ["चालान"],
    "ja": ["請求書", "メール", "毎月"],
    "zh": ["發票", "帳單"],
    "ko": ["청구서", "발행"],
    "th": ["ใบแจ้งหนี้", "เดือน"],
    "km": ["វិក្កយបត្រ"],
}
FORMS = {
    "en": ["invoices"],
    "de": ["Rechnung", "Einstellung"],
    "fr": ["factures"],
    "ru": ["счета", "новые"],
    "el": ["τιμολόγια"],
    "ar": ["وفاتورة"],
    "ja": ["月"],
}
"""Other forms and beginnings of words, which the inbox finds by their beginning at most."""

IDENTIFIERS = [
    ("Build it with C# or C++ on .NET.", ["C#", "c++", ".net", "NET"]),
    ("From version 4.8 on, `v3` is gone.", ["4.8", "v3"]),
    ("```\ncurl localhost:8080/v1/users\n```", ["localhost:8080/v1/users", "8080", "users"]),
    (
        "It fails with `ERR_CONN_RESET` (0x80070005).",
        ["ERR_CONN_RESET", "err-conn-reset", "conn", "0x80070005"],
    ),
    ("Edit /etc/nginx/nginx.conf first.", ["/etc/nginx/nginx.conf", "nginx.conf", "conf"]),
    ("`max_old_space` or `kebab-case-name`", ["max_old_space", "old", "kebab-case-name", "kebab"]),
    ("ネットワークエラーERR_TIMEOUTが出ます", ["ERR_TIMEOUT", "エラー"]),
    ("Send an e-mail to help@example.com.", ["email", "e-mail", "help@example.com", "@example.com"]),
]
TABLE = [
    *((TEXTS[code], word) for code, words in WORDS.items() for word in words),
    *((text, word) for text, words in IDENTIFIERS for word in words),
]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    texts = {text for text, _ in TABLE}
    return searcher(tmp_path_factory.mktemp("all"), [(text, "Title", text) for text in texts], NoModel())


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("inbox")
    entries = [Document(terms_of(text), id=text, kind=Kind.CUSTOMER) for text in {text for text, _ in TABLE}]
    directory.apply(FORMAT.create(folder), edit_of([], [], entries))
    return Reader(FORMAT.open(folder))


@pytest.mark.parametrize(
    ("text", "word"), [*TABLE, *((TEXTS[code], word) for code, words in FORMS.items() for word in words)]
)
def test_the_agent_and_the_help_site_find_a_word(documents: IndexSearcher, text: str, word: str) -> None:
    assert text in [passage.document_id for passage in search(documents, word, NoModel(), limit=30)]


@pytest.mark.parametrize(("text", "word"), TABLE)
def test_the_inbox_finds_a_word_and_not_in_every_text(inbox: Reader, text: str, word: str) -> None:
    found = inbox.ids(inbox.all_of(*map(inbox.having, sought(word))), len(TABLE))

    assert text in found
    assert len(found) < 4


@pytest.mark.parametrize(("text", "word"), TABLE)
def test_a_search_for_a_word_is_for_a_suggestion_that_has_it(text: str, word: str) -> None:
    assert suggestions.words_of(word) <= set(terms_of(text))
