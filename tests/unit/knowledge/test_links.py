"""Where links between documents lead."""

import pytest

from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.publishing import Links


def page(path: str | None, url: str | None = None, mirror: str | None = None) -> DocumentPage:
    return DocumentPage(
        organization="acme", slug=f"{mirror}:{path}", document_id="doc", path=path, url=url, mirror=mirror
    )


def target(start: DocumentPage, link: str, *others: DocumentPage) -> str | None:
    found = Links([*others, start]).target(start, link)
    return found.path if isinstance(found, DocumentPage) else found


KETTLE = [
    page("Kettle//guides/clean.md"),
    page("Kettle//guides/sub/index.md"),
    page("Kettle//README.md"),
    page("Kettle//faq.mdx"),
    page("Kettle//caf\u00e9 au lait.md"),
]
TOASTER = [page("Toaster//guides/clean.md"), page("guides/clean.md"), page("clean.md")]


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("clean.md", "Kettle//guides/clean.md"),
        ("clean.md?plain=1", "Kettle//guides/clean.md"),
        ("clean", "Kettle//guides/clean.md"),
        ("clean.html", "Kettle//guides/clean.md"),
        ("/guides/clean.md", "Kettle//guides/clean.md"),
        ("/guides/clean/", "Kettle//guides/clean.md"),
        ("./sub/", "Kettle//guides/sub/index.md"),
        ("sub", "Kettle//guides/sub/index.md"),
        ("sub/index.html", "Kettle//guides/sub/index.md"),
        ("../", "Kettle//README.md"),
        ("/", "Kettle//README.md"),
        ("../faq", "Kettle//faq.mdx"),
        ("../caf%C3%A9%20au%20lait.md", "Kettle//caf\u00e9 au lait.md"),
        ("../cafe%CC%81%20au%20lait.md", "Kettle//caf\u00e9 au lait.md"),
        ("../../clean.md", None),
        ("../../Toaster/guides/clean.md", None),
        ("gone.md", None),
        ("gone", None),
    ],
)
def test_a_link_leads_to_a_file_of_the_same_scope(link: str, path: str | None) -> None:
    assert target(page("Kettle//guides/a.md"), link, *TOASTER, *KETTLE) == path


def test_a_link_of_a_mirrored_file_stays_in_its_repository() -> None:
    there = [page("b.md"), page("b.md", mirror="other"), page("b.md", mirror="own")]

    found = Links(there).target(page("a.md", mirror="own"), "b.md")

    assert found == there[2]


SITE = [
    page("functions/strings/Chomp.md", "https://docs.example/docs/functions/strings/Chomp"),
    page("index.md", "https://docs.example/docs/"),
    page("functions.md", "https://docs.example/docs/functions"),
    page("docs/b.md", "https://docs.example/docs/docs/b"),
]


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("/docs/functions/strings/chomp/", "functions/strings/Chomp.md"),
        ("/docs/functions/strings/chomp.html?x=1", "functions/strings/Chomp.md"),
        ("/docs/", "index.md"),
        ("/docs/docs/b", "docs/b.md"),
        ("/docs/b.md", "docs/b.md"),
        ("../functions.md", "functions.md"),
        ("/pricing", "https://docs.example/pricing"),
        ("files/manual.pdf", "https://docs.example/docs/guides/files/manual.pdf"),
        ("../gone.md", None),
    ],
)
def test_a_path_of_the_website_leads_to_the_document_of_that_page_else_to_the_website(
    link: str, leads_to: str | None
) -> None:
    start = page("guides/a.md", "https://docs.example/docs/guides/a")

    assert target(start, link, *SITE) == leads_to


def test_a_link_of_a_document_that_is_no_file_leads_nowhere() -> None:
    assert target(page(None), "b.md", page("b.md")) is None
