"""Tasks, signals and posts in the console: what moves, what is kept, and what happens when somebody else was faster."""

import pytest
from playwright.sync_api import Page, Position, Response, expect

from tests.integration.console.conftest import OpenConsole
from tests.support.api import Client
from tests.support.chromium import installed

pytestmark = installed


def add_task(api: Client, title: str, status: str = "planned") -> str:
    return str(api.post("/v1/tasks", {"title": title, "status": status}).body["id"])


def file_signal(api: Client, title: str) -> str:
    sent = {"kind": "suggestion", "title": title, "who": "Jonas"}
    return str(api.post("/v1/signals", sent).body["id"])


def column_of(api: Client, status: str) -> list[str]:
    return [each["title"] for each in api.get(f"/v1/tasks?status={status}").body["tasks"]]


def card(title: str) -> str:
    return f".task:has-text('{title}')"


def is_change(answer: Response) -> bool:
    return answer.request.method == "PATCH" and answer.ok


def move_by_menu(page: Page, title: str, text: str) -> None:
    page.click(f"{card(title)} .menu > button")
    page.get_by_role("menuitem", name=text, exact=True).click()


def test_a_card_moves_by_keyboard_keeps_the_focus_and_its_place_is_announced(
    open_console: OpenConsole, api: Client
) -> None:
    add_task(api, "Wash the car")
    add_task(api, "Water the plants", "in_progress")
    page = open_console(role="member")
    page.goto("tasks")
    page.focus(f"{card('Wash the car')} a")

    for key in ("Shift+ArrowRight", "Shift+ArrowUp"):
        with page.expect_response(is_change):
            page.keyboard.press(key)

    expect(page.locator(".tasks > [role=status]")).to_contain_text("In progress, 1 of 2")
    expect(page.locator(f"{card('Wash the car')} a")).to_be_focused()
    assert column_of(api, "in_progress") == ["Wash the car", "Water the plants"]


def test_a_card_is_dropped_before_the_one_below_it(open_console: OpenConsole, api: Client) -> None:
    add_task(api, "Wash the car")
    add_task(api, "Water the plants", "in_review")
    page = open_console()
    page.goto("tasks")

    top = Position(x=40, y=4)
    with page.expect_response(is_change):
        page.drag_and_drop(card("Wash the car"), card("Water the plants"), target_position=top)

    expect(page.locator("[data-status=in_review] .task").first).to_contain_text("Wash the car")
    assert column_of(api, "in_review") == ["Wash the car", "Water the plants"]


def test_a_card_that_someone_else_moved_stays_where_they_put_it(
    open_console: OpenConsole, api: Client
) -> None:
    task = add_task(api, "Wash the car")
    page = open_console()
    page.goto("tasks")
    page.wait_for_selector(".task")
    api.patch(f"/v1/tasks/{task}", {"status": "in_review"})

    move_by_menu(page, "Wash the car", "Move to Done")

    expect(page.locator(".said")).to_contain_text("Someone else moved")
    expect(page.locator("[data-status=in_review] .task")).to_have_count(1)
    assert column_of(api, "done") == []


def test_a_request_that_is_moved_into_a_column_becomes_a_card_there(
    open_console: OpenConsole, api: Client
) -> None:
    signal = file_signal(api, "Gift wrapping")
    page = open_console()
    page.goto("tasks")

    move_by_menu(page, "Gift wrapping", "Move to In progress")

    expect(page.locator("[data-status=in_progress] .task small", has_text="-")).to_have_count(1)
    assert api.get(f"/v1/signals/{signal}").body["signal"]["status"] == "in progress"


def test_customers_get_no_message_before_the_person_confirmed_that_it_is_done(
    open_console: OpenConsole, api: Client
) -> None:
    signal = file_signal(api, "Gift wrapping")
    api.post("/v1/tasks/adopt", {"signalId": signal})
    page = open_console()
    page.goto("tasks")

    move_by_menu(page, "Gift wrapping", "Move to Done")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    expect(page.locator("[data-status=planned] .task")).to_have_count(1)
    assert api.get(f"/v1/signals/{signal}").body["signal"]["status"] == "planned"


@pytest.mark.parametrize(
    ("choice", "title"), [("Keep mine", "Gift wrapping in blue"), ("Use theirs", "Ribbons")]
)
def test_what_someone_else_wrote_meanwhile_is_shown_and_replaced_only_if_the_person_says_so(
    open_console: OpenConsole, api: Client, choice: str, title: str
) -> None:
    signal = file_signal(api, "Gift wrapping")
    page = open_console()
    page.goto(f"signals/{signal}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Title").fill("Gift wrapping in blue")
    page.get_by_role("textbox", name="Details").fill("Blue paper.")
    api.patch(f"/v1/signals/{signal}", {"title": "Ribbons"})

    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("button", name=choice).click()
    page.get_by_role("button", name="Save changes").click()

    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    changed = api.get(f"/v1/signals/{signal}").body["signal"]
    assert (changed["title"], changed["body"]) == (title, "Blue paper.")


def test_the_address_of_a_merged_signal_leads_to_the_one_that_stays(
    open_console: OpenConsole, api: Client
) -> None:
    kept, duplicate = file_signal(api, "Gift wrapping"), file_signal(api, "Wrapped as a gift")
    api.post(f"/v1/signals/{kept}/merge", {"duplicateId": duplicate})
    page = open_console()

    page.goto(f"signals/{duplicate}")

    expect(page.get_by_role("heading", level=1)).to_have_text("Gift wrapping")
    assert page.url.endswith(kept)


def test_a_published_post_leaves_those_that_wait_and_comes_back_with_undo(
    open_console: OpenConsole, api: Client
) -> None:
    api.patch("/v1/board", {"boards": [{"id": "ideas", "name": "Ideas", "moderated": True}]})
    sent = {"title": "Dark mode", "session": "a-visitor-of-the-board"}
    post = api.post("/v1/board/posts", sent).body["id"]
    page = open_console(role="member")
    page.goto("board")

    page.get_by_role("button", name="Publish").click()
    with page.expect_response(is_change):
        page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    assert api.get(f"/v1/board/posts/{post}").body["state"] == "pending"


def test_settings_of_the_board_that_someone_else_changed_are_not_replaced_unasked(
    open_console: OpenConsole, api: Client
) -> None:
    page = open_console()
    page.goto("board/settings")
    page.get_by_role("button", name="Add a tag").click()
    page.get_by_label("Name of the tag").fill("Mobile")
    api.patch("/v1/board", {"tags": [{"name": "Export"}]})

    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("button", name="Load theirs").click()

    expect(page.get_by_label("Name of the tag")).to_have_value("Export")
