"""Nothing that can arrive makes reading fail."""

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpdesk.inbound_mail.parsing import parse
from tests.support import effort
from tests.unit.inbound_mail.mails import nest, part_of

RICH = nest(
    "mixed",
    part_of(
        "alternative",
        "Content-Type: text/plain; charset*=utf-8''x; format=flowed\n\nHi \nOn 1 May 2026 Bo <b@x.com> wrote:\n> a\n",
        "Content-Type: text/html; charset=utf-16\nContent-Transfer-Encoding: quoted-printable\n\n<p>=3D</p><a href=3D",
    ),
    "Content-Type: image/png; name*0*=utf-8''%41; name*1=b\nContent-Transfer-Encoding: base64\n\nAAA\n",
    "Content-Type: message/rfc822\nContent-Disposition: attachment; filename*=''%\n\nFrom: =?utf-8?b?A?=\n\nInner\n",
    "Content-Type: message/delivery-status\n\nA: b\n\nC: d\n",
    "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#AAA\nend\n",
)
RICH = b"To: \xff@x, <@>, (\nReferences: <a@b> <\nReply-To: =?\xff?q?=?=\nContent-ID: <\n" + RICH
TOKENS = [
    b"=?utf-8?b?",
    b"?=",
    b"\xff",
    b"\0",
    b'"',
    b"(",
    b"<",
    b";",
    b"\n\n",
    b"\n",
    b"--",
    b"%",
    b"''",
    b"*0*=",
    b":",
]


@settings(max_examples=effort.of(100, 5_000), deadline=None)
@given(st.binary(max_size=300))
@example(b"Content-Type: text/plain; charset*0*=\xff''\n\n\xff")
@example(b"Content-Type: multipart/mixed; boundary*=x''\n\n--\n")
@example(b"Content-Transfer-Encoding: \xff\n\nx")
@example(b"From: \xff\nSubject: =?utf-8?b?\xff?=\nContent-Disposition: \xff; filename=\xff\n\n")
def test_no_bytes_make_reading_fail(raw: bytes) -> None:
    parse(raw)


def test_no_damage_to_a_mail_makes_reading_fail() -> None:
    chance = random.Random(7)
    for _ in range(effort.of(150, 20_000)):
        damaged = bytearray(RICH)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randrange(0, 12)] = chance.choice(TOKENS)
        parse(bytes(damaged))
