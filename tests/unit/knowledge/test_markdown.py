import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.knowledge.markdown import MAX_SECTION_CHARACTERS, Section, blocks, sections


def test_a_section_is_the_text_under_one_heading() -> None:
    assert sections("Invoices", "# Invoices\n\nIntro.\n\n## Refunds\n\nIn 14 days.\n\n## VAT\n\nYes.\n") == [
        Section("", "Intro.", 0),
        Section("Refunds", "In 14 days.", 1),
        Section("VAT", "Yes.", 2),
    ]


def test_a_heading_includes_the_headings_above_it() -> None:
    text = "# A\n\n## B\n\n### C\n\none\n\n## D\n\ntwo\n"
    assert [section.heading for section in sections("T", text)] == ["A › B › C", "A › D"]


def test_a_first_heading_that_is_not_the_title_stays() -> None:
    assert sections("Help", "# Refunds\n\nYes.")[0].heading == "Refunds"


@pytest.mark.parametrize("line", ["# no heading", "## nor this"])
@pytest.mark.parametrize("fence", ["```", "~~~", "````sh"])
def test_a_line_in_a_fence_is_not_a_heading(line: str, fence: str) -> None:
    text = f"# H\n\n{fence}\n{line}\n{fence.rstrip('sh')}\n\nafter"
    assert [section.heading for section in sections("T", text)] == ["H"]


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    assert len(sections("T", "````\n```\n# x\n```\n````\n\n# H\n\ntext")) == 2


def test_an_unclosed_fence_ends_with_the_text() -> None:
    assert sections("T", "# H\n\n```\n# x")[0].text == "```\n# x"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Refunds\n=======\n\nYes.", ["Refunds"]),
        ("Intro.\n\nRefunds\n-------\n\nYes.", ["", "Refunds"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [""]),
        ("a line\nof text\n---\nmore", [""]),
        ("## Refunds ##\n\nYes.", ["Refunds"]),
        ("#Refunds\n\nYes.", [""]),
        ("#\n\nYes.", [""]),
    ],
)
def test_headings_are_recognized_as_in_markdown(text: str, headings: list[str]) -> None:
    assert [section.heading for section in sections("T", text)] == headings


def test_a_text_of_headings_alone_is_one_section() -> None:
    assert sections("T", "# A\n\n## B") == [Section("", "# A\n\n## B", 0)]


def test_a_long_section_is_cut_between_its_blocks_under_the_same_heading() -> None:
    text = "# H\n\n" + "\n\n".join(f"Paragraph {number}. " + "word " * 100 for number in range(8))
    found = sections("T", text)
    assert len(found) == 3
    assert {section.heading for section in found} == {"H"}
    assert all(section.text.startswith("Paragraph") for section in found)


def test_each_part_of_long_code_is_fenced() -> None:
    text = "```sh\n" + "\n".join(f"echo {number:04}" for number in range(400)) + "\n```"
    found = sections("T", text)
    assert len(found) == 3
    assert all(section.text.startswith("```sh\necho") and section.text.endswith("\n```") for section in found)
    assert sum(section.text.count("echo") for section in found) == 400


def test_fenced_code_is_one_block() -> None:
    assert blocks("a\nb\n\n```\nx\n\ny\n```\n\n\nc") == ["a\nb", "```\nx\n\ny\n```", "c"]


@given(st.text(alphabet=st.sampled_from("#`~ \n-=|ab.")))
def test_every_text_is_split_into_numbered_sections_within_the_limit(text: str) -> None:
    found = sections("T", text)
    assert all(len(section.text) <= MAX_SECTION_CHARACTERS for section in found)
    assert [section.position for section in found] == list(range(len(found)))


@given(st.lists(st.text(alphabet="ab .\n", max_size=900), max_size=8))
def test_no_word_is_lost(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    assert " ".join(section.text for section in sections("T", text)).split() == text.split()


@pytest.mark.parametrize(
    "text",
    [
        "# " + " " * 900_000 + "x",
        "`" * 900_000,
        "#" * 900_000,
        "a " * 450_000,
        "\n" * 900_000,
        "- \n" * 300_000,
        "=\n" * 450_000,
    ],
)
def test_the_largest_document_is_split_quickly(text: str) -> None:
    begun = time.process_time()
    sections("T", text)
    assert time.process_time() - begun < 5
