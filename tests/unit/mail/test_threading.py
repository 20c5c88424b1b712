"""What keeps mails in one thread: the subject of an answer, and headers that SES accepts."""

import pytest

from helpdesk.mail import threading
from helpdesk.mail.threading import Thread
from helpdesk.platform.settings import settings


@pytest.fixture(autouse=True)
def _sender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "support@helpdesk.example")
    settings.cache_clear()


@pytest.mark.parametrize(
    ("subject", "answer"),
    [
        ("Order 7", "Re: Order 7"),
        ("Re: Order 7", "Re: Order 7"),
        ("RE: AW: re[2]: Order 7", "Re: Order 7"),
        ("SV: Order 7", "Re: Order 7"),
        ("回复\uff1aOrder 7", "Re: Order 7"),
        ("Fwd: Order 7", "Re: Fwd: Order 7"),
        ("Reorder: 7", "Re: Reorder: 7"),
        ("Re", "Re: Re"),
        ("", "Re:"),
        ("Re:", "Re:"),
    ],
)
def test_an_answer_has_the_subject_of_what_it_answers_after_one_re(subject: str, answer: str) -> None:
    assert threading.answer_to(subject) == answer


def test_of_many_mails_the_newest_twenty_references_are_kept_with_the_conversations_own() -> None:
    headers = threading.headers(Thread("conv_1", received=[f"{n}@a.example" for n in range(30)]))

    references = headers["References"].split()
    assert references[0] == "<conv_1@helpdesk.example>"
    assert references[1:] == [f"<{n}@a.example>" for n in range(11, 30)]
    assert headers["In-Reply-To"] == "<29@a.example>"


def test_no_header_is_longer_than_ses_accepts() -> None:
    long = [f"{n}{'x' * 300}@a.example" for n in range(4)]
    headers = threading.headers(Thread("conv_1", received=long))

    assert headers["References"].split()[1:] == [f"<{each}>" for each in long[2:]]
    assert all(len(value) <= threading.MAX_HEADER_CHARACTERS for value in headers.values())


@pytest.mark.parametrize("broken", ["", "a b@c", "a\r\nBcc: x@y", "é@c", "<a@b>", "x" * 900])
def test_an_id_that_no_header_can_have_is_left_out(broken: str) -> None:
    headers = threading.headers(Thread("conv_1", received=[broken]))

    root = "<conv_1@helpdesk.example>"
    assert headers == {"In-Reply-To": root, "References": root, "X-Loop": "support@helpdesk.example"}
