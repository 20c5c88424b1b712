"""The path of a file within its source: how it is written, joined with a link, and named by links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk_files.paths import SourcePath, page_url, same_page


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Products/Kettle//guides/clean.md", SourcePath("Products/Kettle", "guides/clean.md")),
        ("guides/clean.md", SourcePath("", "guides/clean.md")),
        ("//clean.md", SourcePath("", "//clean.md")),
        ("guides//", SourcePath("", "guides//")),
        ("Cafe\u0301//u\u0308ber.md", SourcePath("Caf\u00e9", "\u00fcber.md")),
    ],
)
def test_a_path_has_the_scope_that_is_written_before_it(text: str, path: SourcePath) -> None:
    assert SourcePath.parsed(text) == path


@given(
    st.text("abé/.-", max_size=12).filter(lambda scope: "//" not in scope and not scope.startswith("/")),
    st.text("abé/.-", min_size=1, max_size=12).filter(
        lambda path: "//" not in path and not path.startswith("/")
    ),
)
def test_a_path_is_read_as_it_was_written(scope: str, path: str) -> None:
    scope = scope.rstrip("/")
    assert SourcePath.parsed(str(SourcePath(scope, path))) == SourcePath(scope, path)


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("b.md", "guides/b.md"),
        ("./b.md", "guides/b.md"),
        ("../c.md", "c.md"),
        ("../guides/../d/e.md", "d/e.md"),
        ("/d/e.md", "d/e.md"),
        ("my%20file%23.md", "guides/my file#.md"),
        ("cafe%CC%81.md", "guides/caf\u00e9.md"),
        ("sub/", "guides/sub"),
        ("..", ""),
        ("../../b.md", None),
        ("/../b.md", None),
    ],
)
def test_a_link_stays_within_the_scope(link: str, path: str | None) -> None:
    joined = SourcePath("Products/Kettle", "guides/a.md").joined(link)

    assert joined == (None if path is None else SourcePath("Products/Kettle", path))


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("guides/clean.mdx", ["guides/clean.mdx", "guides/clean"]),
        ("guides/README.md", ["guides/README.md", "guides/README", "guides"]),
        ("index.md", ["index.md", "index", ""]),
        ("functions/_index.md", ["functions/_index.md", "functions/_index", "functions"]),
        ("notes/v1.2", ["notes/v1.2", "notes/v1"]),
    ],
)
def test_a_link_names_a_file_its_page_or_its_directory(path: str, names: list[str]) -> None:
    assert [each.path for each in SourcePath("", path).names()] == names


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("guides/clean up.md", "https://docs.example/k/guides/clean%20up"),
        ("guides/index.md", "https://docs.example/k/guides/"),
        ("README.md", "https://docs.example/k/"),
    ],
)
def test_a_file_has_a_page_below_the_address_of_its_folder(path: str, url: str) -> None:
    assert page_url("https://docs.example/k", path) == page_url("https://docs.example/k/", path) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/Guides/clean/",
        "http://docs.example/guides/clean.html",
        "https://docs.example/guides/clean/index.html?x=1#y",
        "https://DOCS.example/guides/cle%61n",
    ],
)
def test_a_page_has_several_addresses(url: str) -> None:
    assert same_page(url) == "docs.example/guides/clean"
