"""Messages as Discord and Slack show them, in HTML: bold, quotes, mentions, links. Only what Helpdesk writes.

What is escaped in a message is a character of Unicode's private use until its marks are found.
"""

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

_DISCORD = re.compile(
    r"<(?P<kind>@&|@|#)(?P<id>\d+)>|<?(?P<url>https?://[^\s<>]+)>?"
    r"|\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|`(?P<code>[^`]+)`"
)
_SLACK = re.compile(
    r"<(?P<kind>[@#])(?P<id>\w+)>|(?P<url>https?://[^\s<>]+)"
    r"|\*(?P<bold>[^*\n]+)\*|(?:(?<=\n)|^)_(?P<italic>.+)_(?=\n|$)|```\n?(?P<fenced>[^`]+)```|`(?P<code>[^`]+)`"
)
_DISCORD_ESCAPES = re.compile(r"\\([\\*_~`|<>#\[\]()])")
_SLACK_ESCAPES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_PRIVATE_USE = 0xE000


def of_discord(content: str, names: Mapping[str, str]) -> Markup:
    """Return a message of Discord. `names` has who `@…`, `@&…` and `#…` with an id are."""
    shown = Markup()
    fenced = False
    for line in _DISCORD_ESCAPES.sub(lambda found: _hidden(found[1]), content).split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            shown += Markup("<pre class=code>" if fenced else "</pre>")
            continue
        if fenced:
            shown += escape(f"{line}\n")
            continue
        if line.startswith("> "):
            shown += Markup("<blockquote>{}</blockquote>").format(_marked(_DISCORD, line[2:], names))
        elif line.startswith("-# "):
            shown += Markup("<small>{}</small>\n").format(_marked(_DISCORD, line[3:], names))
        else:
            shown += _marked(_DISCORD, f"{line}\n", names)
    return _uncovered(shown + Markup("</pre>" if fenced else ""))


def as_typed(text: str) -> str:
    """Return what somebody typed as Slack sends it: with its three characters escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def of_slack(text: str, names: Mapping[str, str]) -> Markup:
    """Return a message of Slack. `names` has who `@…` and `#…` with an id are."""
    for escaped, character in _SLACK_ESCAPES.items():
        text = text.replace(escaped, _hidden(character))
    return _uncovered(_marked(_SLACK, text, names))


def _marked(marks: re.Pattern[str], text: str, names: Mapping[str, str]) -> Markup:
    shown, at = Markup(), 0
    for found in marks.finditer(text):
        shown += escape(text[at : found.start()]) + _mark(marks, found, names)
        at = found.end()
    return shown + escape(text[at:])


def _mark(marks: re.Pattern[str], found: re.Match[str], names: Mapping[str, str]) -> Markup:
    if found["id"]:
        name = names.get(f"{found['kind']}{found['id']}", found["id"])
        return Markup("<mark>{}{}</mark>").format(found["kind"][0], name)
    if found["url"]:
        return Markup('<a href="{0}">{0}</a>').format(found["url"])
    if found.groupdict().get("fenced"):
        return Markup("<pre class=code>{}</pre>").format(found["fenced"])
    if found["code"]:
        return Markup("<code>{}</code>").format(found["code"])
    tag = "b" if found["bold"] else "i"
    return Markup(f"<{tag}>{{}}</{tag}>").format(_marked(marks, found["bold"] or found["italic"], names))


def _hidden(character: str) -> str:
    return chr(_PRIVATE_USE + ord(character))


def _uncovered(shown: Markup) -> Markup:
    return Markup(re.sub("[\ue000-\ue07f]", lambda found: escape(chr(ord(found[0]) - _PRIVATE_USE)), shown))
