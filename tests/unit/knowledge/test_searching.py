"""Search for documents: every one that holds all words, in the order that helps, with what was found marked."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from helpdesk.knowledge import retrieval, searching
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.searching import Search
from helpdesk.knowledge.snippets import MAX_CHARACTERS, Piece
from scripts.evaluation.questions import GUIDES
from tests.support.corpus import searcher
from tests.unit.knowledge.test_retrieval import ByWord, NoModel

DOCUMENTS = [
    (
        "hooks",
        "Receive events",
        (
            "# Receive events\n\nA webhook brings [each event](https://example.com/secret-path) to your server.\n\n"
            "## Retries\n\nA failed webhook is **sent again** five times.\n\n## Ports\n\n"
            "```sh\nhookctl listen --port 5432\n```\n\nThe code is `ERR_HOOK_TIMEOUT`."
        ),
    ),
    ("webhooks", "Webhooks", "# Webhooks\n\nThe list of all addresses."),
    (
        "money",
        "Refunds",
        "# Refunds\n\nThe amount is on your card in five days.\n\n## Events\n\nNone is sent.",
    ),
    (
        "kunden",
        "Kündigung",
        "# Kündigung\n\nSie können den Vertrag jederzeit kündigen. Wir senden eine Bestätigung.",
    ),
    ("parol", "パスワード", "# パスワード\n\nこのページではパスワードの再設定方法を説明します。"),
    ("about", "About us", "# About us\n\nWe are a small shop, and this is about what we are."),
]
MODEL = ByWord(("webhook", "callback"), ("refund", "money back"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("searching"), DOCUMENTS, MODEL)


def found(corpus: IndexSearcher, text: str) -> list[str]:
    """Return the documents that a search finds by its words alone."""
    search = searching.search(corpus, text, NoModel())
    held = search.holding([name for name, *_ in DOCUMENTS])
    return [name for name in search.documents(0, 100) if name in held]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("webhook", ["webhooks", "hooks"]),
        ("WEBHOOKS", ["webhooks", "hooks"]),
        ("webho", ["webhooks", "hooks"]),
        ("5432", ["hooks"]),
        ("hookctl", ["hooks"]),
        ("err_hook_timeout", ["hooks"]),
        ("server retries", ["hooks"]),
        ("refunds sent", ["money"]),
        ("Kündigung", ["kunden"]),
        ("kundig", ["kunden"]),
        ("Vertrag", ["kunden"]),
        ("パスワード", ["parol"]),
        ("再設定", ["parol"]),
        ("hook_timeout", ["hooks"]),
        ("webhok", ["webhooks", "hooks"]),
        ("about us", ["about"]),
        ("what is the amount of it", ["money"]),
        ("secret", []),
        ("webhook amount", []),
        ("?!", []),
    ],
)
def test_a_document_is_found_by_all_words_wherever_they_are_in_it(
    corpus: IndexSearcher, text: str, documents: list[str]
) -> None:
    assert found(corpus, text) == documents


def test_what_has_the_words_and_what_is_about_the_same_is_in_the_order_of_confidence(
    corpus: IndexSearcher,
) -> None:
    search = searching.search(corpus, "webhook retries", MODEL)
    confidence = [passage.document_id for passage in retrieval.search(corpus, "webhook retries", MODEL)]

    assert search.documents(0, 10) == [name for name in confidence if name in {"hooks", "webhooks"}]
    assert search.holding(["hooks", "webhooks"]) == {"hooks"}


def test_pages_have_each_document_once(corpus: IndexSearcher) -> None:
    search = searching.search(corpus, "webhook", MODEL, others=["money", "hooks"])

    whole = search.documents(0, 100)

    assert sorted(whole) == ["hooks", "money", "webhooks"]
    assert search.total == 3
    assert [search.documents(at, 1) for at in range(4)] == [*([name] for name in whole), []]


def test_what_is_not_indexed_is_listed_behind_what_has_the_words(corpus: IndexSearcher) -> None:
    search = searching.search(corpus, "webhook", NoModel(), others=["new"])

    assert search.documents(0, 10)[-1] == "new"
    assert search.excerpt("new") == []


def test_without_an_index_only_what_is_known_otherwise_is_listed() -> None:
    search = Search(None, (), (), ["new"])

    assert (search.documents(0, 10), search.total, search.fits) == (["new"], 1, True)
    assert Search(None, (), ()).fits is False


@pytest.mark.parametrize(
    ("text", "fits"),
    [("failed webhook", True), ("server timeout", False), ("unicorn", False), ("callback", True)],
)
def test_words_that_are_far_apart_are_listed_but_may_not_be_what_was_meant(
    corpus: IndexSearcher, text: str, *, fits: bool
) -> None:
    assert searching.search(corpus, text, MODEL).fits is fits


@pytest.mark.parametrize(
    ("text", "documents"),
    [("we", ["webhooks", "about", "hooks"]), ("how to re", ["money", "hooks"]), ("webhooks x", [])],
)
def test_the_last_word_that_someone_types_may_become_any(
    corpus: IndexSearcher, text: str, documents: list[str]
) -> None:
    words = searching.sought(text, corpus, is_typed=True)
    assert sorted(corpus.documents_with(words, 10)[0]) == sorted(documents)


def shown(pieces: list[Piece]) -> str:
    return "".join(f"[{piece.text}]" if piece.is_found else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("text", "document", "excerpt"),
    [
        ("failed webhook", "hooks", "A [failed] [webhook] is sent again five times."),
        ("event", "hooks", "A webhook brings each [event] to your server."),
        ("5432", "hooks", "hookctl listen --port [5432] The code is ERR_HOOK_TIMEOUT."),
        ("err_hook_timeout", "hooks", "hookctl listen --port 5432 The code is [ERR_HOOK_TIMEOUT]."),
        ("再設定", "parol", "このページではパスワードの[再設定]方法を説明します。"),
        ("kündigen", "kunden", "Sie können den Vertrag jederzeit [kündigen]. Wir senden eine Bestätigung."),
    ],
)
def test_an_excerpt_is_text_without_its_marks_and_shows_the_words(
    corpus: IndexSearcher, text: str, document: str, excerpt: str
) -> None:
    assert shown(searching.search(corpus, text, NoModel()).excerpt(document)) == excerpt


def test_an_excerpt_of_a_long_text_is_cut_where_the_words_are(tmp_path: Path) -> None:
    long = "Nothing of it is here. " * 40 + "The blue lamp is on. " + "Nothing comes after it. " * 20
    corpus = searcher(tmp_path, [("long", "Lamps", long)], NoModel())

    excerpt = shown(searching.search(corpus, "blue lamp", NoModel()).excerpt("long"))

    assert excerpt.startswith("…")
    assert excerpt.endswith("…")
    assert "The [blue] [lamp] is on." in excerpt
    assert len(excerpt) <= MAX_CHARACTERS + 6


# What help centres of technical products are asked for.
IDENTIFIERS = """
ERR_CONN_RESET ERR_TLS_CERT_INVALID E1042 max_retries retry_count_total X-Request-Id content-type C++ C# .env .NET
4.8 v3 1.25.0 2026-11-27 5432 8443 127.0.0.1 10.0.0.0/8 /var/log/app.log /v1/webhooks config/settings.yaml C:\\Temp
api.example.com help@example.com user.created node_modules package.json useState() std::vector --dry-run utf-8
AES-256 SHA256 i18n OAuth2 p95 sk_live_4242 arn:aws:s3 feature/login release-2024.1
""".split()  # noqa: SIM905 - more readable than a list of strings


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], IndexSearcher]:
    """The project's guides, some with made-up identifiers in prose, in code and in titles."""
    dice = random.Random(29)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(GUIDES.glob("*.md"))[:24]}
    for number, identifier in enumerate(IDENTIFIERS):
        ways: list[Callable[[str], str]] = [
            lambda each: f"\n\nIt is {each}, as before.\n",
            lambda each: f"\n\nSee `{each}` for it.\n",
            lambda each: f"\n\n```sh\nrun {each} now\n```\n",
        ]
        for name in dice.sample(sorted(texts), 3):
            texts[name] += ways[number % 3](identifier)
    corpus = searcher(
        tmp_path_factory.mktemp("articles"), [(name, name, text) for name, text in texts.items()], NoModel()
    )
    return texts, corpus


def holders(texts: dict[str, str], word: str) -> set[str]:
    """Return the articles in which a word stands by itself."""
    alone = re.compile(rf"(?<![\w.@/:#+-]){re.escape(word)}(?![\w@/#+]|[.:-]\w)", re.IGNORECASE)
    return {name for name, text in texts.items() if alone.search(text)}


def test_every_article_that_holds_a_random_word_is_listed(
    articles: tuple[dict[str, str], IndexSearcher],
) -> None:
    texts, corpus = articles
    words = sorted({word for text in texts.values() for word in re.findall(r"\b[A-Za-z]{2,}\b", text)})
    for word in random.Random(7).sample(words, 40):
        listed = searching.search(corpus, word, NoModel()).documents(0, 100)
        assert holders(texts, word) - set(listed) == set(), word


def test_every_article_that_holds_an_identifier_is_listed(
    articles: tuple[dict[str, str], IndexSearcher],
) -> None:
    texts, corpus = articles
    for identifier in IDENTIFIERS:
        listed = searching.search(corpus, identifier, NoModel()).documents(0, 100)
        assert len(holders(texts, identifier)) >= 3, identifier
        assert holders(texts, identifier) - set(listed) == set(), identifier


# Nothing but these identifiers is written so, and no part of them is a word by itself.
@pytest.mark.parametrize(
    "identifier", ["ERR_CONN_RESET", "C++", "C#", ".NET", "4.8", "v3", "5432", "127.0.0.1"]
)
def test_no_other_article_is_listed_for_an_identifier(
    articles: tuple[dict[str, str], IndexSearcher], identifier: str
) -> None:
    texts, corpus = articles

    assert set(searching.search(corpus, identifier, NoModel()).documents(0, 100)) == holders(
        texts, identifier
    )
