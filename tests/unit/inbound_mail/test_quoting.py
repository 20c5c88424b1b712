"""What the sender wrote now, without what their mail program quotes below, above or between."""

from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.inbound_mail import quoting
from helpdesk.inbound_mail.parsing import parse
from helpdesk.inbound_mail.parts import MAX_TEXT_CHARACTERS
from tests.unit.inbound_mail.mails import html, mail


def written_now(text: str) -> str:
    return quoting.written_now(text, [])


SAID = [
    "On Mon, May 4, 2026 at 9:15 AM Support <r+abc@example.com> wrote:",
    "On 4 May 2026, at 09:15, Support <r+abc@example.com> wrote:",
    "On Mon, May 4, 2026 at 9:15 AM Support With A Long Name <\nr+abc@example.com> wrote:",
    "On Mon, May 4, 2026 at 9:15 AM Support\n<r+abc@example.com>\nwrote:",
    "Am Mo., 4. Mai 2026 um 09:15 Uhr schrieb Support <r+abc@example.com>:",
    "Am 04.05.26 um 09:15 schrieb Support:",
    "Support <r+abc@example.com> schrieb am Mo., 4. Mai\n2026 um 09:15:",
    "Le lun. 4 mai 2026 à 09:15, Support <r+abc@example.com> a écrit :",
    "El lun, 4 may 2026 a las 9:15, Support (<r+abc@example.com>) escribió:",
    "Em seg., 4 de mai. de 2026 às 09:15, Support <r+abc@example.com> escreveu:",
    "Il giorno lun 4 mag 2026 alle ore 09:15 Support <r+abc@example.com> ha scritto:",
    "Op ma 4 mei 2026 om 09:15 schreef Support <r+abc@example.com>:",
    "Op 4 mei 2026 om 09:15 heeft Support <r+abc@example.com> het volgende geschreven:",
    "pon., 4 maj 2026 o 09:15 Support <r+abc@example.com> napisał(a):",
    "W dniu 4.05.2026 o 09:15, Support pisze/napisał:",
    "Den mån 4 maj 2026 kl 09:15 skrev Support <r+abc@example.com>:",
    "пн, 4 мая 2026 г. в 09:15, Support <r+abc@example.com> написал(а):",
    "2026年5月4日(月) 9:15 Support <r+abc@example.com>:",
    "Support <r+abc@example.com> 于2026年5月4日周一 09:15写道：",
    "在 2026年5月4日，上午9:15，Support <r+abc@example.com> 写道：",
    "ma 4. toukokuuta 2026 klo 9.15 Support\n<r+abc@example.com> kirjoitti:",
    "On Mon, 4 May 2026 09:15:00 +0200 Support <r+abc@example.com> wrote",
    "Excerpts from Support's message of 2026-05-04 09:15:00 +0200:",
    "2026-05-04 9:15 GMT+02:00 Support <r+abc@example.com>:",
    "---- On Mon, 04 May 2026 09:15:00 +0200 Support <r+abc@example.com> wrote ----",
]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize(
    "quote", ["> Try again.\n>\n> Support", "Try again.\n\nSupport"], ids=["quoted", "bare"]
)
def test_what_follows_who_wrote_it_is_cut(said: str, quote: str) -> None:
    assert written_now(f"That did not work.\n\nAda\n\n{said}\n\n{quote}\n") == "That did not work.\n\nAda"


HEADINGS = [
    "From: Support <r+abc@example.com>\nSent: Monday, May 4, 2026 9:15 AM\nTo: Ada <ada@x.com>\nSubject: RE: Help",
    "*From:* Support <r+abc@example.com>\n*Sent:* Monday, May 4\n*To:* Ada\n*Subject:* Help",
    "Von: Support\nGesendet: Montag, 4. Mai 2026 09:15\nAn: Ada\nBetreff: AW: Help",
    "De : Support\nEnvoyé : lundi 4 mai 2026 09:15\nÀ : Ada\nObjet : RE: Help",
    "De: Support\nEnviado el: lunes, 4 de mayo de 2026 9:15\nPara: Ada\nAsunto: RE: Help",
    "De: Support\nEnviada em: segunda-feira, 4 de maio de 2026 09:15\nPara: Ada\nAssunto: RES: Help",
    "Da: Support\nInviato: lunedì 4 maggio 2026 09:15\nA: Ada\nOggetto: R: Help",
    "Van: Support\nVerzonden: maandag 4 mei 2026 09:15\nAan: Ada\nOnderwerp: RE: Help",
    "Od: Support\nWysłane: poniedziałek, 4 maja 2026 09:15\nDo: Ada\nTemat: RE: Help",
    "差出人: Support\n送信日時: 2026年5月4日 9:15\n宛先: Ada\n件名: RE: Help",
    "发件人: Support\n发送时间: 2026年5月4日 9:15\n收件人: Ada\n主题: RE: Help",
    "Date: Mon, 4 May 2026\nFrom: Support <r+abc@example.com>\nTo: ada@x.com",
    "-----Original Message-----\nSupport",
    "________________________________\nFrom: Support <r+abc@x.com>\nSent: Monday\nTo: Ada <\nada@x.com>\nSubject: Help",
    "-------- Ursprüngliche Nachricht --------\nSupport",
    "-------- Jatkuva viesti --------\nFrom: Support <r+abc@x.com>\nSent: Monday\nSubject: Help",
    "====\nMessage du : 04/05/2026 09:15\nDe : Support <r+abc@x.com>\nA : Ada\nCopie à :\nSujet : Help",
    "-----Message d'origine-----\nSupport",
    "________________\nFrom: Support\nDate: Monday\nTo: Ada\nSubject: Help",
    "Da: Support\nRisposta: Support\nData: lunedì 4 maggio 2026 09:15\nA: Ada\nOggetto: Help",
    "-----Mensaje original-----\nSupport",
    "------------------ 原始邮件 ------------------\nSupport",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_what_follows_a_heading_is_cut(heading: str) -> None:
    assert written_now(f"That did not work.\n\n{heading}\n\nTry again.") == "That did not work."


@pytest.mark.parametrize(
    "text",
    [
        "Please book:\nFrom: Paris\nTo: Rome\nDate: 4 May 2026\nThanks",
        "From: what I see, it fails.\nTo: reproduce, press it.",
        "Name: Bob\nFrom: Berlin\nTo: Hamburg\nDate: 4 May\nSubject: Ticket\n\nPlease book two seats.",
        "On Monday I asked Bo, who wrote:\nI don't know.",
        "Here is what I wrote in 2025:\nIt fails.",
        "The log of 9:15:\nerror",
        "- one\n- two\n- three",
        "Registered:\n------------------------\na.com 2026\nb.com 2027",
        "Dear team,\n\nOn 4 May it failed. Please note:\nit still fails.",
        "My mail is ada@example.com. Steps:\n1. Press it",
        "Can I get my invoice sent from my account?",
        f"Sent from my phone{' and again' * 20}",
    ],
)
def test_what_resembles_a_quote_is_kept(text: str) -> None:
    assert written_now(text) == text


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAda Lovelace\nAnalyst",
        "-- \nAda Lovelace" + "\nThis mail is confidential." * 40,
        "--\nAda",
        "_______________________________________________\nusers mailing list\nlists@example.com",
        "__\nlists@example.com",
        "———\nAda",
        "Sent from my iPhone",
        "-- sent from my phone.",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "Enviado do meu iPhone",
        "Inviato da iPhone",
        "Verstuurd vanaf mijn iPhone",
        "Wysłane z iPhone'a",
        "iPhoneから送信",
        "发自我的iPhone",
        "Get Outlook for iOS (https://aka.ms/o0ukef)",
        "Sent from Proton Mail for Android",
        "Sent from my iPhone\n\nOn 4 May 2026, at 09:15, Support <r@x.com> wrote:\n\n> Try again.",
        "On 4 May 2026, at 09:15, Support <r@x.com> wrote:\n\n> Try again.\n\n-- \nAda",
    ],
)
def test_a_signature_is_cut(signature: str) -> None:
    assert written_now(f"That did not work.\n\n{signature}") == "That did not work."


def test_a_line_of_dashes_in_a_long_text_begins_no_signature() -> None:
    text = "Part one\n--\n" + "\n".join(f"line {n}" for n in range(21))
    assert written_now(text) == text


def test_an_answer_below_a_quote_is_what_was_written() -> None:
    text = "On 4 May 2026, at 09:15, Support <r@x.com> wrote:\n> Which one?\n\nThe red one.\n-- \nAda"
    assert written_now(text) == "The red one."


@pytest.mark.parametrize(
    "says",
    [
        "See below.",
        "My answers are inline.",
        "Please see my comments in red.",
        "Siehe bitte unten.",
        "Voir ci-dessous.",
    ],
)
def test_all_is_kept_if_the_sender_says_that_they_answer_inside_it(says: str) -> None:
    text = f"{says}\n\nFrom: Support <r+abc@x.com>\nSent: Monday\nSubject: Help\n\nWhich one?\nThe red one."
    assert written_now(text) == text


def test_a_long_text_that_mentions_what_is_below_is_cut() -> None:
    text = "It's below zero, and I see it below the table. " * 10
    assert written_now(f"{text}\n-----Original Message-----\nBye") == text.strip()


def test_an_answer_below_a_framed_quote_is_what_was_written() -> None:
    assert (
        written_now("----- Original Message -----\n> From: Bo\n>\n> Which one?\n\nThe red one.")
        == "The red one."
    )


def test_answers_between_quotes_keep_what_they_answer() -> None:
    answers = "> Which one?\n\nRed.\n\n> How many?\n\nTwo.\n\n> Bye\n> Support"
    assert (
        written_now(f"Hi,\n\nOn 4 May 2026, Support <r@x.com> wrote:\n{answers}")
        == "Hi,\n\n> Which one?\n\nRed.\n\n> How many?\n\nTwo."
    )


@pytest.mark.parametrize("broken", [f"{'word ' * 14}\nrest", f"Cc: Bo; Support;\n{'a' * 60}@example.com;"])
def test_the_rest_of_a_quoted_line_that_was_broken_is_quoted(broken: str) -> None:
    said = "On 4 May 2026, Support <r@x.com> wrote:"
    assert written_now(f"Red.\n\n{said}\n> {broken}\n> Bye") == "Red."


def test_an_answer_just_below_a_line_that_was_not_broken_is_kept() -> None:
    said = "On 4 May 2026, Support <r@x.com> wrote:"
    assert written_now(f"Hi\n{said}\n> Which one?\nRed.\n> Bye") == "Hi\n> Which one?\nRed."


@pytest.mark.parametrize(
    "heading", ["From: Bo <bo@x.com>\nDate: Mon, 4 May 2026", "Date: Mon, 4 May 2026\nFrom: Bo <bo@x.com>"]
)
def test_sender_and_date_above_a_quote_say_who_wrote_it(heading: str) -> None:
    assert written_now(f"{heading}\n\n> Which one?\n\nThe red one.") == "The red one."


@pytest.mark.parametrize("said", [*SAID, f"{SAID[0]}\n\n{SAID[1]}"])
def test_who_wrote_what_follows_is_kept_if_nothing_marks_where_it_ends(said: str) -> None:
    assert written_now(f"{said}\n\nWhich one?\n\nThe red one.") == f"{said}\n\nWhich one?\n\nThe red one."


@pytest.mark.parametrize(
    "header",
    [
        "MIME-Version: 1.0\nFrom: bo@x.com\nTo: ada@x.com\nDate: Monday\nSubject: Bill",
        "From: bo@x.com\nTo: ada@x.com\nSubject: Bill\nMessage-ID: <a@x.com>\nDate: Monday",
        "Received: by x.com;\n Monday\nTo: ada@x.com\nFrom: bo@x.com\nDate: Monday\nSubject: Bill",
        "Date: Monday\nFrom: bo@x.com\nTo: ada@x.com\nSubject: Bill\nX-Spam-Score: 7",
    ],
)
def test_the_source_of_a_mail_is_kept(header: str) -> None:
    text = f"Is this from you?\n\n{header}\n\nPay me.\n\nMy order is 4711."
    assert written_now(text) == text


FIELDS = "From: Bo <bo@x.com>\nTo: ada@x.com\nSubject: Bill\nDate: Monday"


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (f"Is this from you?\n\n{FIELDS}\n\nPay me.", ["the quoted mail below the text"]),
        (f"No.\n\n________________\n{FIELDS}\n\nPay me.", []),
        (f"No.\n\n-----Original Message-----\n{FIELDS}\n\nPay me.", []),
        (f"No.\n{quoting.HISTORY}\n{FIELDS}\n\nPay me.", []),
        (f"See below.\n\n{FIELDS}\n\nPay me.\nNo.", []),
        (f"{FIELDS}\n\nPay me.", []),
    ],
    ids=["fields", "rule", "frame", "html", "answered inside", "nothing else"],
)
def test_a_mail_that_is_cut_is_named_if_the_sender_may_have_pasted_it(text: str, left_out: list[str]) -> None:
    named: list[str] = []
    quoting.written_now(text, named)
    assert named == left_out


def test_a_quote_that_was_typed_is_kept_above_its_answer() -> None:
    assert written_now("> Which one?\nThe red one.") == "> Which one?\nThe red one."


@pytest.mark.parametrize(
    "forward",
    [
        "---------- Forwarded message ---------\nFrom: Bo <bo@x.com>\nSubject: Bill\nTo: ada@x.com\n\nPay me.",
        "Begin forwarded message:\n\nFrom: Bo <bo@x.com>\nSubject: Bill\nDate: 4 May\n\n> Pay me.",
        "-------- Weitergeleitete Nachricht --------\nBetreff: Bill\nDatum: Mon\nVon: Bo\nAn: Ada\n\nPay me.",
    ],
)
def test_a_forwarded_mail_is_kept(forward: str) -> None:
    assert written_now(f"Is this yours?\n\n{forward}") == f"Is this yours?\n\n{forward}"


@pytest.mark.parametrize("subject", ["Fwd: Bill", "FW: Bill", "WG: Bill", "TR: Bill", "[ext] Fw: Bill"])
def test_a_mail_that_its_subject_says_is_forwarded_is_kept(subject: str) -> None:
    text = "Is this yours?\n\nFrom: Bo <bo@x.com>\nSent: Monday\nTo: Ada\nSubject: Bill\n\nPay me."
    assert parse(mail(text, subject=subject)).text == text


def test_a_forwarded_mail_that_is_quoted_is_kept() -> None:
    source = (
        "<p>See:</p><blockquote type=cite><div>Begin forwarded message:</div><div>From: Bo</div></blockquote>"
    )
    assert html(source).text == "See:\n\n> Begin forwarded message:\n> From: Bo"


def test_the_answer_to_a_forwarded_mail_is_cut_as_any_other() -> None:
    text = "No.\n\nFrom: Bo <bo@x.com>\nSent: Monday\nTo: Ada\nSubject: Fwd: Bill\n\nPay me."
    assert parse(mail(text, subject="Re: Fwd: Bill")).text == "No."


@pytest.mark.parametrize(
    "text", ["> Which one?", "--\nAda", "Sent from my iPhone", "-----Original Message-----\nHello"]
)
def test_the_whole_text_is_used_if_nothing_is_left(text: str) -> None:
    assert written_now(text) == text


GMAIL = (
    '<div dir="ltr">That did not work.</div><br><div class="gmail_quote"><div class="gmail_attr">{said}<br></div>'
    '<blockquote class="gmail_quote" style="border-left:1px solid">Try again.</blockquote>{after}</div>'
)
HTML = [
    GMAIL.format(said="On Mon Support &lt;r@x.com&gt; wrote:", after=""),
    GMAIL.format(said="Dydd Llun ysgrifennodd Support", after=""),
    """<p>That did not work.</p><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Gan:</b> Support</div>
    Try again.""",
    '<p>That did not work.</p><div id="x_divRplyFwdMsg">Support</div>Try again.',
    '<div>That did not work.</div><div id="ydp1yahoo_quoted" class="yahoo_quoted"><p>Support:</p>Try again.</div>',
    """<p>That did not work.</p><div class="moz-cite-prefix">Am 4. Mai:</div>
    <blockquote type="cite">Try again.</blockquote>""",
    '<p>That did not work.</p><div class="OutlookMessageHeader">Support</div>Try again.',
    """<p class=MsoNormal>That did not work.</p>
    <div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm"><p><b>Feladó:</b> Support<br></p></div>
    <p>Try again.</p>""",
    """<div>That did not work.<div id="AppleMailSignature">Sent from my phone</div><div><br>
    <blockquote type="cite">On 4 May, Support wrote:<br><br></blockquote></div>
    <blockquote type=cite>Try again.</blockquote></div>""",
    """<div>That did not work.</div><div class="protonmail_signature_block-user">Ada</div>
    <div class="protonmail_quote">On Monday, May 4th, 2026 at 9:15, Support wrote:
    <blockquote class='protonmail_quote' type='cite'>No.</blockquote></div>""",
    '<div>That did not work.</div><div class="gmail_signature">Ada<br>Analyst</div>',
]


@pytest.mark.parametrize("source", HTML)
def test_what_html_marks_as_quoted_is_cut(source: str) -> None:
    assert html(source).text == "That did not work."


@pytest.mark.parametrize("own", ["On Monday it failed.", "5 of them failed."])
@pytest.mark.parametrize("said", SAID)
def test_a_line_just_above_who_wrote_it_is_kept(own: str, said: str) -> None:
    assert written_now(f"Hi\n{own}\n{said}\n> Try again.") == f"Hi\n{own}"


def test_a_line_just_above_what_html_marks_as_quoted_is_kept() -> None:
    assert html(f"<div>On Monday it failed.</div>{GMAIL.format(said='Bo said', after='')}").text.startswith(
        "On Monday"
    )


def test_answers_between_quotes_in_html_keep_what_they_answer() -> None:
    after = "<div>Red.</div><blockquote class='gmail_quote'>How many?</blockquote><div>Two.</div>"
    source = GMAIL.format(said="On Mon Support wrote:", after=after)
    assert html(source).text == "That did not work.\n\n> Try again.\n\nRed.\n\n> How many?\n\nTwo."


def test_a_forwarded_mail_in_html_is_kept() -> None:
    source = GMAIL.replace("blockquote", "div").format(
        said="---------- Forwarded message ---------<br>From: Bo", after=""
    )
    assert "Try again." in html(source).text


def test_a_signature_in_a_forwarded_mail_is_kept() -> None:
    source = "<p>See:</p><p>-------- Original Message --------</p><p>Pay</p><pre class='moz-signature'>Bo\nInc.</pre>"
    read = parse(mail(source, subject="Fwd: Bill", content_type="text/html"))
    assert read.text == "See:\n\n-------- Original Message --------\n\nPay\n\nBo\nInc."


def test_a_block_that_its_writer_indented_is_kept() -> None:
    source = "<p>The log says:</p><blockquote style='margin:0 0 0 40px'>error 7</blockquote>"
    assert html(source).text == "The log says:\n\nerror 7"


class Counted(list[str]):
    """Lines that count how many of them are looked at."""

    looked_at = 0

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        self.looked_at += len(found) if isinstance(index, slice) else 1
        return found

    def __iter__(self) -> Iterator[str]:
        for line in super().__iter__():
            self.looked_at += 1
            yield line


@pytest.mark.parametrize(
    "piece", ["On ", "On 1 May", "> ", "a\n> b", "From: ", "From: a@b.c", "--", "", "On 1 May\n\n<a"]
)
def test_each_line_is_looked_at_a_limited_number_of_times(piece: str) -> None:
    lines = Counted((f"{piece}\n" * 1_000).split("\n"))
    quoting._cut(lines, [])
    assert lines.looked_at < 50 * 1_000 * (piece.count("\n") + 1)


@pytest.mark.parametrize(
    "piece", [">", " ", "On ", "-", "_", "*", "- ", "1:00 ", "<a@b.", "Sent from my ", "wrote:"]
)
def test_a_line_is_looked_at_up_to_a_limit(piece: str) -> None:
    # Without the limit, the time grows with the square of the length: minutes.
    assert written_now(piece * (MAX_TEXT_CHARACTERS // len(piece))) is not None
