"""What a server reads: parts that fit a message, and text of others that looks like nothing else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from helpdesk.conversations.files.record import AttachedFile
from helpdesk.conversations.message_record import Author, Message
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Speaker, Status
from helpdesk.integrations.discord import texts
from helpdesk.integrations.discord.texts import LOCALES, Phrase, phrase, phrases
from helpdesk.visitor_texts.languages import LANGUAGES

FILE = AttachedFile("a [photo].png", 3, "image/png", "https://support.example.com/v1/files/abc")


def message(body: str, *files: AttachedFile, name: str = "Assistant") -> Message:
    """Return a message of the agent."""
    author = Author("ai", name)
    return Message(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_1",
        created_at=0,
        sender="agent",
        author=author,
        body=body,
        attachments=files,
    )


def conversation(subject: str) -> Conversation:
    """Return a conversation."""
    return Conversation(
        organization="org_1",
        id="conv_1",
        status=Status.OPEN,
        handled_by=Handler.AGENT,
        last_speaker=Speaker.VISITOR,
        customer_id="cus_1",
        subject=subject,
        started_at=0,
        last_message_at=0,
    )


@given(st.text(max_size=4_000) | st.text(alphabet="`\nab ", max_size=6_000), st.text(max_size=80))
def test_every_part_of_an_answer_fits_a_message(body: str, name: str) -> None:
    parts = texts.answer(message(body, FILE, name=name), "200000000000000001")

    assert all(0 < len(part) <= texts.MAX_CHARACTERS for part in parts)


@given(st.text(alphabet="ab \n", max_size=6_000))
def test_the_parts_of_an_answer_have_all_its_words(body: str) -> None:
    parts = texts.answer(message(body), None)

    assert "".join("".join(parts).split()) == "**Assistant**" + "".join(body.split())


@given(st.text(max_size=6_000))
def test_a_quoted_question_fits_a_message(question: str) -> None:
    for said in (
        texts.question(question, "de"),
        texts.further_question(question, "1", "2", "fr"),
        texts.unanswerable(question, phrase(Phrase.NO_PLACE, "fr")),
    ):
        assert 0 < len(said) <= texts.MAX_CHARACTERS


@given(st.text(alphabet="<@&>!#*_~`|[]()\\ a", max_size=200))
def test_escaped_text_begins_no_mention_and_no_mark(text: str) -> None:
    shown = texts.escaped(text)

    for sign in "<>*_~`|[]()#":
        assert all(shown[at - 1] == "\\" for at, each in enumerate(shown) if each == sign)


LINKS = [
    "https://evil.example", "HTTP://evil.example/a_(b)", "<https://evil.example>", "[here](https://evil.example)",
    "htthttps://a ps://evil.example", "https:/\u200b/evil.example", "https://\n/evil.example", "www.evil.example",
    "discord.gg/abc", "||discord.com/invite/abc||", "steam://run", "é://https://evil.example", "a.b.evil.example/?q=1",
]  # fmt: skip


@given(
    st.lists(st.sampled_from([*LINKS, "Hi", "\u2028", "|", "@everyone", "<@&1>", "<#2>", "\\"])).map("".join)
)
def test_the_bot_repeats_no_link_and_no_mention_of_who_asks(text: str) -> None:
    name = texts.thread_name(conversation(text), "en")

    for said in (
        texts.question(text, "en"),
        texts.further_question(text, "1", "2", "en").replace("<#2>", ""),
        texts.unanswerable(text, ""),
        texts.wanted(conversation(text), None, None, "", "").rpartition("\n")[0],
        texts.handed_off(text),
        name,
    ):
        assert re.search(r"//\S|www\.|discord\.(gg|com)/", said.replace("\\", "")) is None
    assert not set(name) & set("@<>[]()")


def test_words_around_a_link_and_what_only_looks_like_one_stay() -> None:
    text = "See https://a.example/x and and/or e.g. version 1.2, foo.bar() or a@b.example."

    assert texts.escaped(text) == r"See … and and/or e.g. version 1.2, foo.bar\(\) or a@b.example."


def test_code_that_is_divided_is_code_in_each_part() -> None:
    code = "\n".join(f"line {number} " + "x" * 90 for number in range(40))
    parts = texts.answer(message(f"Run this:\n```python\n{code}\n```\nThen try again."), None)

    assert len(parts) == 3
    assert all(part.count("```") == 2 for part in parts)
    assert all(part.startswith("```python\nline ") for part in parts[1:])
    assert parts[-1].endswith("```\nThen try again.")


def test_a_long_answer_is_divided_between_lines() -> None:
    body = "\n".join(f"Line {number} " + "x" * 90 for number in range(60))

    assert [part.splitlines()[0][:7] for part in texts.answer(message(body), None)] == [
        "**Assis",
        "Line 20",
        "Line 40",
    ]


def test_files_are_addresses_without_a_preview() -> None:
    [said] = texts.answer(message("", FILE), "7")

    assert said == "<@7> **Assistant**\n" + r"a \[photo\].png: <https://support.example.com/v1/files/abc>"


def test_a_thread_has_a_name() -> None:
    assert [len(each["name"]) for each in texts.COMMANDS] == [3, 5]
    described = [*texts.COMMANDS, *texts.COMMANDS[0]["options"]]
    every = [
        text
        for each in described
        for text in [each["description"], *each["description_localizations"].values()]
    ]
    assert len(every) == 3 * 8
    assert all(len(text) <= 100 for text in every)


def test_every_language_has_every_phrase_and_its_signs() -> None:
    for language in LANGUAGES:
        assert set(phrases(language)) == set(Phrase), language
        for name in Phrase:
            for sign in ("`/ask`", "`/close`", "{place}"):
                assert (sign in phrase(name, language)) == (sign in phrase(name, "en")), (language, name)


def test_each_locale_of_discord_is_one_language() -> None:
    assert LOCALES == {
        "de": "de",
        "fr": "fr",
        "it": "it",
        "nl": "nl",
        "es-ES": "es",
        "es-419": "es",
        "pt-BR": "pt",
    }
