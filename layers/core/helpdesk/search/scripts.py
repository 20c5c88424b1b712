"""Recognizes the language of a text by its script. Latin letters name none."""

import re

LEAST_SHARE = 0.15
"""The least share of a script's letters among them and Latin ones. Names and code are in Latin letters everywhere."""

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_ANOTHER = re.compile(
    "[\u0370-\u1cff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00020000-\U0003ffff]"
)
# By the language, the letters of its script.
_SCRIPTS = {
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "ru": "\u0400-\u052f",
    "hy": "\u0530-\u058f",
    "he": "\u05d0-\u05ea",
    "ar": "\u0620-\u06ff\ufb50-\ufdff\ufe70-\ufefc",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "pa": "\u0a00-\u0a7f",
    "gu": "\u0a80-\u0aff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f",
    "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "my": "\u1000-\u109f",
    "ka": "\u10a0-\u10ff",
    "am": "\u1200-\u137f",
    "km": "\u1780-\u17ff",
    "ko": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af\uffa0-\uffdc",
    "zh": "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff",
}
# Languages that share a script, by letters that those before them lack.
_BY_LETTERS = {
    "ru": {"be": "ў", "uk": "іїєґ", "mk": "ѓќѕ", "sr": "ђћљњџј", "ru": "ыэё", "bg": "ъ"},
    "ar": {"ur": "ٹڈڑں", "fa": "پچژگ"},
    "zh": {"ja": "\u3040-\u30ff\uff66-\uff9f"},
}
LANGUAGES = (
    *_SCRIPTS,
    *(code for letters in _BY_LETTERS.values() for code in letters if code not in _SCRIPTS),
)
"""The languages that are recognized."""


def language_of_script(text: str) -> str | None:
    """Return the language that the letters of a text name, by its code (ISO 639-1); None for Latin letters alone."""
    if text.isascii() or not _ANOTHER.search(text):
        return None
    counts = {code: len(re.findall(f"[{letters}]", text)) for code, letters in _SCRIPTS.items()}
    most = max(counts, key=lambda code: counts[code])
    if counts[most] < max(1, LEAST_SHARE * (counts[most] + len(_LATIN.findall(text)))):
        return None
    sharing = _BY_LETTERS.get(most, {})
    return next((code for code in sharing if re.search(f"[{sharing[code]}]", text.lower())), most)
