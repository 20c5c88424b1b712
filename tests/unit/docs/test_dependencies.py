from scripts import licences


def test_the_page_of_dependencies_lists_pinned_and_declared_packages() -> None:
    page = licences.PAGE.read_text(encoding="utf-8")

    assert page == licences.render(), "run: make licences"
