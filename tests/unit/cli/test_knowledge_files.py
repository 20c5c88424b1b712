"""Markdown files as documents: front matter, titles, folders, pages, and what is skipped."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk_cli.knowledge import markdown
from helpdesk_cli.knowledge.files import FileDocument, digest, scan
from helpdesk_cli.knowledge.names import file_name, folder_key, folder_of
from helpdesk_cli.problems import Problem
from helpdesk_files import front_matter
from helpdesk_files.front_matter import FrontMatter
from helpdesk_files.names import as_name
from helpdesk_files.reading import sent

NAMES = st.text(
    st.one_of(
        st.sampled_from('ab./\\: -_"\t\n\r\u2028\x85\x00\x7f\u200b\u200d\u202e\ufeff\u3000é'), st.characters()
    )
)


def write(root: Path, path: str, text: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def only(root: Path, text: str | bytes, path: str = "a-file.md", url_base: str | None = None) -> FileDocument:
    write(root, path, text)
    (found,) = scan(root, url_base).documents
    return found


@given(NAMES)
def test_a_file_name_is_one_part_of_a_path_and_stays_as_it_is(name: str) -> None:
    made = file_name(name)
    assert made not in {"", ".", ".."}
    assert not set(made) & set('/\\:*?"<>|\x00\n')
    assert not made.startswith(".")
    assert not made.endswith((".", " "))
    assert len(made.encode()) <= 200
    assert file_name(made) == made


@given(NAMES)
def test_the_directory_of_a_folder_mirrors_that_folder(name: str) -> None:
    folder = as_name(name, 80) or "Untitled"
    assert folder_key(folder_of(f"{file_name(folder)}/a.md")) == folder_key((folder,))


@pytest.mark.parametrize("name", ["con", "NUL.txt", "lpt1", "..", ".git", "a/b", "a\\b", "C:", "x. . "])
def test_a_name_that_a_system_reserves_becomes_another(name: str) -> None:
    assert file_name(name) not in {name, "", ".", ".."}


def test_directories_below_the_third_join_the_folder_of_the_third() -> None:
    assert folder_of("a.md") == ()
    assert folder_of("x/y/a.md") == ("x", "y")
    assert folder_of("x/y/z/deep/deeper/a.md") == ("x", "y", "z")


def test_the_front_matter_is_not_a_part_of_the_text(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        '---\ntitle: "Team \\"A\\" settings"\ntags:\n  - a\n- b\nid: doc_1\nversion: 3\n'
        "url: https://docs.example.com/teams # the page\n---\n\nText.\n",
    )
    assert (found.title, found.body, found.url) == (
        'Team "A" settings',
        "Text.\n",
        "https://docs.example.com/teams",
    )
    assert (found.id, found.version) == ("doc_1", 3)


def test_line_ends_and_leading_blank_lines_do_not_count(tmp_path: Path) -> None:
    found = only(tmp_path, b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n\r\nOne\r\ntwo\r\n")
    assert (found.title, found.body) == ("T", "One\ntwo\n")
    assert digest("One\ntwo\n") in found.digests


@given(st.text(st.one_of(st.sampled_from("\r\n-#: \u2028\ufeff"), st.characters(exclude_categories=["Cs"]))))
def test_any_text_that_is_pulled_is_recognized(body: str) -> None:
    own: dict[str, str | int | None] = {"title": 'A "title": #1', "id": "doc_1", "version": 2}
    other = FrontMatter((("sidebar", ("sidebar:", "  - a")),), "")
    read = front_matter.parsed(markdown.rendered(own, other, body))
    assert body in {read.text, sent(read.text)}
    assert [read.get("title"), read.get("id"), read.get("version")] == ['A "title": #1', "doc_1", "2"]
    assert read.entries[-1] == other.entries[0]


@pytest.mark.parametrize(
    ("path", "entry", "url"),
    [
        ("a b/c.md", "x: y", "https://docs.example.com/en/a%20b/c"),
        ("index.md", "x: y", "https://docs.example.com/en/"),
        ("guides/README.md", "x: y", "https://docs.example.com/en/guides/"),
        ("a.md", "url: /about", "https://docs.example.com/about"),
        ("a.md", "url: http://elsewhere.example", "http://elsewhere.example"),
    ],
)
def test_a_page_is_below_the_base_unless_the_front_matter_says_another(
    tmp_path: Path, path: str, entry: str, url: str
) -> None:
    found = only(tmp_path, f"---\n{entry}\n---\nText", path, "https://docs.example.com/en")
    assert found.url == url


def test_without_a_base_only_a_whole_address_is_a_page(tmp_path: Path) -> None:
    assert only(tmp_path, "---\nurl: /about\n---\nText").url is None


def test_what_is_no_document_is_skipped_and_reported(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    write(root, "good.md", "Text")
    write(root, "upper.MD", "Text")
    write(root, "page.mdx", "Text")
    write(root, "empty.md", "---\ntitle: T\n---\n \n")
    write(root, "latin.md", "Größe".encode("latin-1"))
    write(root, "large.md", "é" * 450_001)
    write(root, "huge.md", "€" * 400_000)
    write(root, "largest.md", "x" * 900_000)
    write(root, ".git/a.md", "Text")
    write(root, "sub/.hidden.md", "Text")
    write(root, "sub/picture.png", b"\x89PNG")
    write(root, "sub/noname", "Text")
    write(tmp_path, "outside/secret.md", "Text")
    (root / "link.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "linked").symlink_to(tmp_path / "outside")
    found = scan(root)
    assert [one.path for one in found.documents] == ["good.md", "largest.md", "page.mdx", "upper.MD"]
    assert {(one.path, one.reason, one.mend) for one in found.skipped} == {
        ("empty.md", "empty", False),
        ("latin.md", "not UTF-8", True),
        ("large.md", "larger than 900,000 bytes", True),
        ("huge.md", "larger than 900,000 bytes", True),
        (".git", "hidden", False),
        ("sub/.hidden.md", "hidden", False),
        ("link.md", "a symbolic link", False),
        ("linked", "a symbolic link", False),
    }
    assert found.others == {".png": 1, "no suffix": 1}


@pytest.mark.parametrize(("second", "mend"), [("Text", False), ("Another text", True)])
def test_names_that_differ_in_their_unicode_form_alone_are_one_file(
    tmp_path: Path, second: str, *, mend: bool
) -> None:
    write(tmp_path, "cafe\u0301/u\u0308ber.md", "Text")
    write(tmp_path, "caf\u00e9/\u00fcber.md", second)
    found = scan(tmp_path)
    assert [(one.path, one.body) for one in found.documents] == [("caf\u00e9/\u00fcber.md", "Text")]
    assert [(one.path, one.mend) for one in found.skipped] == [("caf\u00e9/\u00fcber.md", mend)]


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Cannot read the folder"):
        scan(tmp_path / "missing")
