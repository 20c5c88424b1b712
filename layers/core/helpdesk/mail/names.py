"""Names in mails: an organization's, a site's, a person's. The people who chose them may mislead the reader."""

import re
import unicodedata

from helpdesk.mail.rendering import MAX_NAME_CHARACTERS
from helpdesk.platform.text import one_line

# Browsers take the last three for a dot, too (UTS 46, section 2.3).
_DOTS = "[.\u3002\uff0e\uff61]"
# What mail programs make a link of, beside bare hosts: `https://…`, `www.…`, `name@host`.
_ADDRESS = re.compile(
    rf"\S*://\S*|\bwww{_DOTS}\S*|\S+@\S+|\b(?:https?|mailto|tel|sms|hxxps?):\S*", re.IGNORECASE
)
# A host ends in a label of two letters or more, so `J.R.` and `Acme Inc.` are none.
_HOST = re.compile(rf"((?:[\w-]+{_DOTS})+(?:[^\W\d_]{{2,}}|xn--[\w-]+))(?:[:/?#]\S*)?")
# Any other dot inside a word, but in `J.R.` and `2.0`: mail programs know more hosts than the pattern above.
_INSIDE = re.compile(rf"(?<=\S)(?<!\b[^\W\d_]){_DOTS}(?=[^\s\d])|(?<=[^\s\d])(?<!\b[^\W\d_]){_DOTS}(?=\d)")
_NETWORK = re.compile(r"\b\d+(?:\.\d+){3}\b\S*")
# Five digits or more with little between them: numbers to call, and what looks like a code. `Studio 54` has two.
_NUMBER = re.compile(r"[+(]?\d(?:[^\w]{0,3}\d){4,}")


def safe_name(name: str) -> str:
    """Return a name as a mail shows it: one line without web addresses, mail addresses and long numbers.

    A name such as `Booking.com` stays readable without its dot. Empty for a name of which nothing is left.
    """
    line = one_line(unicodedata.normalize("NFKC", one_line(name, MAX_NAME_CHARACTERS)), MAX_NAME_CHARACTERS)
    hostless = _INSIDE.sub(" ", _HOST.sub(_without_dots, _NETWORK.sub(" ", _ADDRESS.sub(" ", line))))
    return " ".join(_NUMBER.sub(" ", hostless).split())


def _without_dots(host: re.Match[str]) -> str:
    return re.sub(_DOTS, " ", host[1])
