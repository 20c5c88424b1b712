from scripts import licences


def test_the_page_of_dependencies_is_what_is_pinned_and_declared() -> None:
    page = licences.PAGE.read_text(encoding="utf-8")

    assert page == licences.render(), "run: make licences"
