from helpdesk.knowledge.quoting import MAX_EXCERPT_CHARACTERS, excerpt


def nothing(_: str) -> int:
    return 0


def test_a_short_section_is_quoted_whole() -> None:
    text = "Write to us.\n\n```sh\ncurl x\n\n```\n\n- a\n- b"
    assert excerpt(text, nothing) == text


def test_a_long_section_is_quoted_from_its_beginning() -> None:
    text = "\n\n".join(f"Part {number}. " + "word " * 40 for number in range(9))
    assert [line[:7] for line in excerpt(text, nothing).split("\n\n")] == ["Part 0.", "Part 1.", "Part 2."]


def test_the_relevant_block_is_quoted_with_the_beginning() -> None:
    text = "\n\n".join(f"Part {number}. " + "word " * 60 for number in range(9))
    quoted = excerpt(text, lambda block: int("Part 7" in block))
    assert [line[:7].rstrip() for line in quoted.split("\n\n")] == ["Part 0.", "…", "Part 7."]


def test_a_row_of_a_long_table_is_quoted_under_its_head() -> None:
    rows = "\n".join(f"| code_{number} | {'meaning ' * 8}|" for number in range(40))
    quoted = excerpt(
        f"These are the codes:\n\n| code | meaning |\n|---|---|\n{rows}", lambda b: int("code_33" in b)
    )
    assert "| code | meaning |\n|---|---|\n" in quoted
    assert "| code_33 |" in quoted
    assert len(quoted) <= MAX_EXCERPT_CHARACTERS


def test_relative_links_become_their_text() -> None:
    text = "See [Webhooks](webhooks.md), [this](https://example.com/a) and ![a picture](a.png).<!-- note -->"
    assert excerpt(text, nothing) == "See Webhooks, [this](https://example.com/a) and a picture."


def test_a_very_long_paragraph_is_cut_at_a_sentence() -> None:
    quoted = excerpt("This is a sentence. " * 100, nothing)
    assert len(quoted) <= MAX_EXCERPT_CHARACTERS + 2
    assert quoted.endswith("This is a sentence. …")


def test_an_empty_section_has_an_empty_excerpt() -> None:
    assert excerpt("<!-- only a note -->", nothing) == ""


def test_a_paragraph_that_introduces_a_list_is_quoted_with_it() -> None:
    other = "Another part. " + "word " * 150
    text = f"Beginning.\n\n{other}\n\nIt depends on the platform: \n\n- iOS: a\n- Android: b\n\n{other}"

    quoted = excerpt(text, lambda block: int("platform" in block))

    assert quoted == "Beginning.\n\n…\n\nIt depends on the platform: \n\n- iOS: a\n- Android: b"


def test_of_a_long_list_the_first_items_are_quoted_with_its_introduction() -> None:
    items = "\n".join(f"- item {number} " + "word " * 20 for number in range(20))

    quoted = excerpt(f"It depends on the platform:\n\n{items}", nothing)

    assert quoted.startswith("It depends on the platform:\n\n- item 0 ")
    assert quoted.endswith("\n…")
    assert len(quoted) <= MAX_EXCERPT_CHARACTERS


def test_of_code_that_does_not_fit_nothing_is_quoted() -> None:
    assert excerpt("Run this:\n\n```\n" + "x = 1\n" * 200 + "```", nothing) == "Run this:"


def test_a_paragraph_is_left_out_if_nothing_of_what_it_introduces_fits() -> None:
    text = f"Beginning. {'word ' * 120}\n\nOther examples:\n\n- {'item ' * 40}"

    assert "Other examples" not in excerpt(text, lambda block: int("Other" in block))
