"""What becomes a draft without a model, and what is declined."""

from typing import Any

import pytest
from msgspec.structs import asdict

from helpdesk.conversations.files.record import AttachedFile
from helpdesk.conversations.message_record import Author, Message
from helpdesk.suggestions import matching
from helpdesk.suggestions.drafting import Declined, Draft, draft
from helpdesk.suggestions.exchanges import Exchange, exchanges_of
from helpdesk.suggestions.wording import title_of

HUMAN, AGENT = Author("human", "Tina Teammate"), Author("ai", "Robin")
QUESTION = "How do I export my contacts?"
ANSWER = "Open Settings, choose Contacts, then press Export. The file is a CSV."


def thread(*entries: tuple[str, str]) -> list[Message]:
    """Return messages by who wrote them: v (visitor), a (agent) or p (person)."""
    authors: dict[str, Any] = {"v": None, "a": AGENT, "p": HUMAN}
    return [
        Message(
            organization="org_1",
            conversation_id="conv_1",
            id=f"msg_{number:02}",
            created_at=number,
            sender="visitor" if who == "v" else "agent",
            author=authors[who],
            body=body,
        )
        for number, (who, body) in enumerate(entries)
    ]


def only(*entries: tuple[str, str]) -> Exchange:
    (found,) = exchanges_of(thread(*entries), "Robin")
    return found


def drafted(answer: str, question: str = QUESTION, *after: tuple[str, str], customer: str = "") -> Any:
    return draft(
        only(("v", question), ("a", "One of the team will answer."), ("p", answer), *after), customer, "Robin"
    )


def guidance(answer: str) -> str:
    found = drafted(answer)
    assert isinstance(found, Draft), found
    return found.guidance


def test_the_title_is_the_question_and_the_text_the_persons_answer() -> None:
    assert drafted(ANSWER) == Draft(QUESTION, ANSWER)


@pytest.mark.parametrize(
    "answer",
    [
        f"Hi Vera,\n\n{ANSWER}\n\nBest regards,\nTina",
        f"Hello there! {ANSWER} Let me know if you need anything else.",
        f"Thanks for reaching out! {ANSWER}\n\nCheers, Tina",
        f"Great question! {ANSWER} I hope this helps!\n\nTina Teammate",
        f"Sorry for the wait.\n{ANSWER}\n\nKind regards\nThe Fern Shop Team",
        f"Sure! {ANSWER} Is there anything else I can help you with?",
        f"Good morning,\n{ANSWER}\n\n— Tina",
        f"{ANSWER}\n\nBest,\nSomebody Else",
        f"Hey! {ANSWER} Have a nice day!",
        f"{ANSWER} If you have any other questions, just ask.\n\nSent from my iPhone",
    ],
)
def test_greetings_and_signatures_are_cut(answer: str) -> None:
    assert guidance(answer) == ANSWER


def test_a_promise_beside_the_answer_is_cut() -> None:
    assert guidance(f"{ANSWER} I'll ask the developers about Excel files.") == ANSWER


def test_lists_and_code_stay_as_they_were_written() -> None:
    steps = "Do this:\n\n1. Open Settings.\n2. Press Export.\n\n```\ncurl /v1/contacts\n    --out hi.csv\n```"

    assert guidance(f"Hi Vera,\n{steps}\n\nBest,\nTina") == steps


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("We will look into it and get back to you.", Declined.INCOMPLETE),
        ("Let me check with the team. One moment please!", Declined.INCOMPLETE),
        ("Hi Vera,\n\nwe're looking into this.\n\nBest,\nTina", Declined.INCOMPLETE),
        ("Yes, you can.", Declined.INCOMPLETE),
        ("Which plan are you on, and which browser do you use?", Declined.INCOMPLETE),
        ("Please write to anna.smith@example.com for an export.", Declined.PERSONAL),
        ("Order #4711 can be exported from its page.", Declined.PERSONAL),
        ("Your customer number 88-4021 has its own export page.", Declined.PERSONAL),
        ("The invoice INV-2291 is in the list of invoices.", Declined.PERSONAL),
        ("The account 20391847 can export again after an upgrade.", Declined.PERSONAL),
        ("The export of your shop runs again on March 3rd.", Declined.PERSONAL),
        ("The export runs again on 2026-12-01 in the morning.", Declined.PERSONAL),
        ("The parcel with the export comes on Tuesday morning.", Declined.PERSONAL),
        ("The export is ready for download since yesterday evening.", Declined.PERSONAL),
        ("I've reset the export for your shop, so it works again.", Declined.PERSONAL),
        ("Your order has left the warehouse and is with the carrier.", Declined.PERSONAL),
        (
            "Dein Export ist unter den Einstellungen, und die Datei ist eine CSV mit allen Kontakten.",
            Declined.OTHER_LANGUAGE,
        ),
    ],
)
def test_an_answer_to_one_customer_alone_is_declined(answer: str, why: Declined) -> None:
    assert drafted(answer) is why


@pytest.mark.parametrize(
    "answer",
    [
        "Support is open Monday to Friday, from 9 to 17 o'clock.",
        "The Pro plan costs 4.90 euros a month for each of 10,000 contacts.",
        "An export keeps 30 days of changes and holds at most 500 MB.",
        "A parcel within the country arrives after 2 to 3 working days.",
    ],
)
def test_numbers_and_days_that_hold_for_everyone_are_no_reason_to_decline(answer: str) -> None:
    assert guidance(answer) == answer


def test_an_answer_with_the_customers_name_is_declined() -> None:
    assert drafted("Exports of the shop Quillfeather are under Settings.", customer="Vera Quillfeather") is (
        Declined.PERSONAL
    )


def test_a_question_about_one_order_is_declined() -> None:
    assert drafted("Parcels take two to three working days.", "Where is my order #4711?") is Declined.PERSONAL


def test_a_visitor_whom_it_did_not_help_speaks_against_the_answer() -> None:
    assert drafted(ANSWER, QUESTION, ("v", "There is no such button.")) is Declined.NOT_HELPED
    assert drafted(ANSWER, QUESTION, ("v", "Thanks, that worked!")) == Draft(QUESTION, ANSWER)


def test_a_visitor_who_asked_twice_is_not_understood_without_a_model() -> None:
    asked = only(("v", QUESTION), ("a", "See Imports."), ("v", "Not imports, CSV files"), ("p", ANSWER))

    assert draft(asked, "", "Robin") is Declined.UNCLEAR


def test_a_request_for_a_person_is_no_question() -> None:
    asked = only(("v", QUESTION), ("a", "See Imports."), ("v", "I want to talk to a human"), ("p", ANSWER))

    assert draft(asked, "", "Robin") == Draft(QUESTION, ANSWER)


def test_an_answer_with_a_file_is_incomplete_without_it() -> None:
    exchange = only(("v", QUESTION), ("p", ANSWER))
    answer = Message(
        **{**asdict(exchange.answer[0]), "attachments": (AttachedFile("a.png", 1, "image/png", "u"),)}
    )

    assert (
        draft(Exchange(exchange.question, (answer,), None, unclear=False), "", "Robin") is Declined.INCOMPLETE
    )


def test_the_agents_own_answers_are_never_an_answer() -> None:
    assert exchanges_of(thread(("v", QUESTION), ("a", ANSWER), ("v", "Thanks!")), "Robin") == []


def test_a_teammate_who_writes_first_answers_nothing() -> None:
    assert exchanges_of(thread(("p", "Welcome to Fern Shop!"), ("v", "Thank you")), "Robin") == []


def test_several_messages_in_a_row_are_one_answer() -> None:
    found = only(
        ("v", "Hi!"), ("v", QUESTION), ("p", "Open Settings, then Contacts."), ("p", "Press Export there.")
    )

    assert draft(found, "", "Robin") == Draft(
        QUESTION, "Open Settings, then Contacts.\n\nPress Export there."
    )


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("how do i export? I need CSV.", "How do i export?"),
        ("I have a shop with you. Can I export its contacts? Thanks", "Can I export its contacts?"),
        ("exporting contacts as csv", "Exporting contacts as csv"),
        ("word " * 60, "Word " + "word " * 21 + "word…"),
    ],
)
def test_the_title_is_the_first_sentence_that_asks(question: str, title: str) -> None:
    assert title_of(question) == title


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("How do I export my contacts?", "Can I export contacts?", True),
        ("How do I export contacts as CSV?", "How do I export contacts as PDF?", False),
        ("How do I cancel my plan?", "How do I change my plan?", False),
        ("Can I add 5 users?", "Can I add 50 users?", False),
        ("?", "?", False),
    ],
)
def test_questions_are_the_same_by_their_words_or_else_different(one: str, other: str, same: bool) -> None:
    assert matching.same_question(one, other) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ANSWER, "Go to Settings, Contacts, and press Export; the file is CSV.", True),
        ("You can return a parcel within 14 days.", "You can return a parcel within 30 days.", False),
        ("Guests can export contacts in Settings.", "Guests can't export contacts in Settings.", False),
    ],
)
def test_guidance_is_the_same_if_words_numbers_and_denials_are(one: str, other: str, same: bool) -> None:
    assert matching.same_guidance(one, other) is same
