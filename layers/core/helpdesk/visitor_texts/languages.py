"""The languages of sentences for visitors, and which of them a browser prefers."""

from typing import Final, Literal, get_args

type Language = Literal["en", "de", "fr", "es", "it", "pt", "nl"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language.__value__)
"""ISO 639-1 codes. The agent understands these languages without a model, too."""

NAMES: Final = {
    "am": "አማርኛ",
    "ar": "العربية",
    "be": "беларуская",
    "bg": "български",
    "bn": "বাংলা",
    "da": "dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "es": "español",
    "fa": "فارسی",
    "fi": "suomi",
    "fr": "français",
    "gu": "ગુજરાતી",
    "he": "עברית",
    "hi": "हिन्दी",
    "hu": "magyar",
    "hy": "հայերեն",
    "it": "italiano",
    "ja": "日本語",
    "ka": "ქართული",
    "km": "ខ្មែរ",
    "kn": "ಕನ್ನಡ",
    "ko": "한국어",
    "lo": "ລາວ",
    "mk": "македонски",
    "ml": "മലയാളം",
    "my": "မြန်မာ",
    "nl": "Nederlands",
    "no": "norsk",
    "pa": "ਪੰਜਾਬੀ",
    "pt": "português",
    "ru": "русский",
    "si": "සිංහල",
    "sr": "српски",
    "sv": "svenska",
    "ta": "தமிழ்",
    "te": "తెలుగు",
    "th": "ไทย",
    "uk": "українська",
    "ur": "اردو",
    "zh": "中文",
}
"""What the languages that documents may be in are called in those languages."""

DEFAULT_LANGUAGE: Final[Language] = "en"

_MAX_PREFERENCES = 20
"""How many entries of a header are read. A browser sends fewer."""


def known(code: object) -> Language | None:
    """Return a code as a language; None for every other value."""
    return next((language for language in LANGUAGES if language == code), None)


def preferred(accepted: str | None) -> Language | None:
    """Return the best language of a locale ("de-AT") or an Accept-Language header; None if none of them is known.

    RFC 9110, section 12.5.4: the highest `q` wins, of equal ones the first. `q=0` excludes a language. An entry that
    cannot be read is skipped.
    """
    best: tuple[float, Language | None] = (0.0, None)
    for entry in (accepted or "").split(",")[:_MAX_PREFERENCES]:
        tag, *parameters = (part.strip().lower() for part in entry.split(";"))
        language = known(tag.replace("_", "-").partition("-")[0])
        weight = _weight(parameters)
        if language is not None and weight > best[0]:
            best = (weight, language)
    return best[1]


def _weight(parameters: list[str]) -> float:
    value = next((each.removeprefix("q=") for each in parameters if each.startswith("q=")), "1")
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0.0 <= weight <= 1.0 else 0.0
