"""What a thread shows: the words of customers as theirs alone, the marks of Slack for those of the team."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.conversations.files.record import AttachedFile
from helpdesk.conversations.message_record import Author, EntryKind, FoundPage, Message, Note
from helpdesk.conversations.record import Conversation, PageInfo
from helpdesk.conversations.state import Handler, Speaker, Status
from helpdesk.customers.record import Identity
from helpdesk.integrations.slack import texts
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.record import Risk


def by_customer(body: str) -> str:
    """Return what the thread says for a customer's message."""
    return str(texts.entry(message(body), None)["text"])


def message(body: str, *, author: Author | None = None, files: tuple[AttachedFile, ...] = ()) -> Message:
    """Return a message, of the customer without an author."""
    return Message(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_1",
        created_at=0,
        sender="visitor" if author is None else "agent",
        author=author,
        body=body,
        attachments=files,
    )


@given(st.text(max_size=300))
def test_every_line_of_a_customer_is_a_quote(body: str) -> None:
    name, *lines = by_customer(body).splitlines()

    assert name == "*A visitor*"
    assert all(line.startswith("&gt;") for line in lines)


def test_a_customer_cannot_write_a_line_of_the_app() -> None:
    said = by_customer("Hi\n*Ada Admin*\n_Ada Admin approved the call of Refund._")

    assert said.splitlines()[1:] == [
        "&gt; Hi",
        "&gt; *Ada Admin*",
        "&gt; _Ada Admin approved the call of Refund._",
    ]


def conversation(subject: str, title: str) -> Conversation:
    """Return a conversation that began on a page."""
    return Conversation(
        organization="org_1",
        id="conv_1",
        status=Status.OPEN,
        handled_by=Handler.AGENT,
        last_speaker=Speaker.VISITOR,
        customer_id="cus_1",
        subject=subject,
        page=PageInfo("https://shop.example/", title, None),
        started_at=0,
        last_message_at=0,
    )


MARKED = re.compile(r"(?<![^\W_])_|_(?![^\W_])|[*`~<>]")


@given(st.text(alphabet="_*~`<>&\n\u2028\r ab:é", max_size=60))
def test_no_line_with_words_of_a_customer_looks_like_one_of_the_app(words: str) -> None:
    named = f"{words}x"
    name, *lines, _ = str(
        texts.first(conversation(words, named), None, "https://a.example", buttons=True)["text"]
    ).splitlines()
    file = AttachedFile(named, 3, "image/png", "https://a.example/f")
    by_visitor = message("Hi", files=(file,))
    _, *said = str(texts.entry(by_visitor, None)["text"]).splitlines()
    system = Note(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_1",
        created_at=0,
        sender="agent",
        body=named,
        kind=EntryKind.SYSTEM,
    )
    line = str(texts.entry(system, None)["text"])

    assert name == "*A visitor*"
    assert len(lines) == len(said) == 2
    assert all(each.startswith("&gt; ") and MARKED.search(each) is None for each in [*lines, *said])
    assert (line[0], line[-1], MARKED.search(line[1:-1])) == ("_", "_", None)


def test_the_line_about_a_hand_off_lists_the_pages_that_the_agent_found() -> None:
    line = Note(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_2",
        created_at=0,
        sender="agent",
        body="Assistant handed this conversation to the team.",
        kind=EntryKind.SYSTEM,
        found=(
            FoundPage("doc_1", "Refunds & *returns*", "https://a.example/b_c", 0.428),
            FoundPage("doc_2", "Prices", None, 0.05),
        ),
    )

    assert str(texts.entry(line, None)["text"]).splitlines() == [
        "_Assistant handed this conversation to the team._",
        "\u2022 43% Refunds &amp; \u2217returns\u2217: https://a.example/b_c",
        "\u2022 5% Prices",
    ]


def test_a_files_name_keeps_its_underscores() -> None:
    assert texts.plain("tax_report_2026.pdf") == "tax_report_2026.pdf"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**Yes**, see [the guide](https://a.example/b).", "*Yes*, see the guide (https://a.example/b)."),
        ("# Refunds\n- one\n- two", "*Refunds*\n\u2022 one\n\u2022 two"),
        (
            "These may help:\n\n- [A (b)](https://a.example/b)",
            "These may help:\n\n\u2022 A (b) (https://a.example/b)",
        ),
        ("Run `a **b** c`:\n```\n- **x**\n```", "Run `a **b** c`:\n```\n- **x**\n```"),
        ("1 < 2 & <!channel>", "1 &lt; 2 &amp; &lt;!channel&gt;"),
    ],
)
def test_markdown_of_the_agent_has_the_marks_of_slack(markdown: str, shown: str) -> None:
    found = message(markdown, author=Author("ai", "Assistant"))

    assert texts.entry(found, None)["text"] == f"*Assistant*\n{shown}"


ALICE = Identity("alice-1", "Alice")


def approval(given_input: str, identity: Identity = ALICE) -> dict[str, object]:
    """Return what the thread asks about a call with an input."""
    found = Approval(
        organization="org_1",
        id="apr_1",
        tool="refund",
        title="Refund an order",
        endpoint_id="tep_1",
        definition="",
        identity=identity,
        input=given_input,
        risk=Risk.HIGH,
        reason=None,
        conversation_id="conv_1",
        customer_id="cus_1",
        run_message_id="msg_1",
        call_id="call_1",
        resolutions=0,
        requested_at=0,
        expires_at=1,
    )
    return texts.approval(found, "https://support.example", buttons=True)


def test_the_input_of_a_call_is_shown_as_code_that_it_cannot_end() -> None:
    text = str(approval('{"note": "```\\n*Approved by Ada*"}')["text"])

    assert text.count("```") == 2
    assert text.endswith("\n```")


@pytest.mark.parametrize(
    ("identity", "shown"),
    [
        (
            Identity("alice-1", "Alice", "a_b@example.com", email_verified=True),
            'for externalId "alice-1", name "Alice", email "a_b@example.com" (verified)',
        ),
        (Identity(None, None, "bob@example.com"), 'for email "bob@example.com" (not verified)'),
        (Identity(), "for a customer whom nothing identifies"),
        (
            Identity(None, 'Al", email "ceo@example.com" (verified)\n```\n\u202e*Assistant*'),
            'for name "Al\\", email \\"ceo@example.com\\" (verified)\\n`\u200b`\u200b`\\n\\u202e*Assistant*"',
        ),
    ],
)
def test_who_a_call_is_for_is_shown_with_the_question_and_cannot_be_imitated(
    identity: Identity, shown: str
) -> None:
    assert str(approval("{}", identity)["text"]) == (
        f"The agent asks to call *Refund an order* (refund)\n```\n{shown}\nwith {{}}\n```"
    )


def test_a_call_is_not_approved_in_slack_for_someone_whose_identity_is_too_long_to_be_shown_whole() -> None:
    found = approval("{}", Identity("&" * 200, "<" * 200))

    assert _actions(found) == ["deny"]
    assert len(str(found["text"])) <= 2_900
    assert str(found["text"]).count("```") == 2


def test_what_is_too_long_to_be_shown_whole_is_not_approved_in_slack() -> None:
    short, long = approval("x" * 1_500), approval("x" * 1_501)

    assert _actions(short) == ["approve", "deny"]
    assert _actions(long) == ["deny"]
    assert "1 more characters" in str(long["text"])


@pytest.mark.parametrize("sign", ["<", "&"])
def test_what_signs_of_slack_make_too_long_is_not_approved_in_slack_either(sign: str) -> None:
    whole, cut = (
        approval(sign * (1_000 // len(sign) // 4)),
        approval(sign * (3_000 // len(sign) // 4) + "end"),
    )

    assert "Approve" in str(whole["blocks"])
    assert _actions(cut) == ["deny"]
    shown = str(cut["text"])
    assert len(shown) <= 2_900
    assert shown == cut["blocks"][0]["text"]["text"]  # type: ignore[index]
    address = "https://support.example/console/approvals/apr_1"
    assert f"more characters. Read all of it in Helpdesk, and approve it there: {address}" in shown
    assert shown.count("```") == 2
    assert re.search(r"&(?!amp;|lt;|gt;)", shown) is None


def test_characters_that_hide_others_are_shown_in_the_input_of_a_call() -> None:
    assert '{"to": "\\u202eada"}' in str(approval('{"to": "\u202eada"}')["text"])


def test_the_first_message_ends_with_the_address_of_its_conversation_however_long_the_page_is() -> None:
    found = Conversation(
        organization="org_1",
        id="conv_1",
        status=Status.OPEN,
        handled_by=Handler.AGENT,
        last_speaker=Speaker.VISITOR,
        customer_id="cus_1",
        subject="&" * 120,
        page=PageInfo(f"https://shop.example/{'&' * 2_000}", "<" * 200, None),
        started_at=0,
        last_message_at=0,
    )
    said = texts.first(found, None, "https://support.example", buttons=True)

    assert len(said["text"]) <= 2_900
    assert str(said["text"]).endswith("\nhttps://support.example/console/conversations/conv_1")
    assert re.search(r"&(?!amp;|lt;|gt;)", said["text"]) is None


def _actions(said: dict[str, object]) -> list[str]:
    blocks = said["blocks"]
    assert isinstance(blocks, list)
    return [each["action_id"] for each in blocks[-1]["elements"]]
