"""The language that a visitor writes is heard from their words, and is the same on every run."""

import time

import pytest

from helpdesk.agent.conversation_language import CHANGING_LEAD, clear_language, first_clear, likely_language
from helpdesk.visitor_texts.languages import Language

CLEAR: dict[Language, str] = {
    "en": """
        Where is my order?
        How do I reset my password?
        Hello, I would like to return the shoes I bought last week.
        The invoice you sent me is wrong
        Can I talk to a human please
        I was charged twice, please help
    """,
    "de": """
        Wo ist meine Bestellung?
        Wie kann ich mein Passwort zurücksetzen?
        Hallo, ich möchte die Schuhe von letzter Woche zurückgeben.
        Mein Paket ist noch nicht da
        Ich möchte bitte mit einem Menschen sprechen
        Ich sehe den Fehler: Payment could not be processed. Was soll ich tun? Ich habe mit der Bank gesprochen.
    """,
    "fr": """
        Où est ma commande ?
        Comment puis-je réinitialiser mon mot de passe ?
        Bonjour, je voudrais retourner les chaussures de la semaine dernière.
        Je n'ai toujours pas reçu mon colis
        Je voudrais parler à un conseiller
    """,
    "es": """
        ¿Dónde está mi pedido?
        ¿Cómo puedo restablecer mi contraseña?
        Hola, quiero devolver los zapatos de la semana pasada.
        Todavía no me ha llegado el paquete
        Quiero hablar con una persona
    """,
    "it": """
        Dov'è il mio ordine?
        Come posso reimpostare la mia password?
        Buongiorno, vorrei restituire le scarpe della settimana scorsa.
        Il pacco non è ancora arrivato
        Vorrei parlare con un operatore
    """,
    "pt": """
        Onde está o meu pedido?
        Como posso redefinir a minha senha?
        Olá, quero devolver os sapatos da semana passada.
        O pacote ainda não chegou
        Quero falar com um atendente
    """,
    "nl": """
        Waar is mijn bestelling?
        Hoe kan ik mijn wachtwoord opnieuw instellen?
        Hallo, ik wil de schoenen van vorige week terugsturen.
        Mijn pakket is nog niet aangekomen
        Ik wil graag een medewerker spreken
    """,
}


def lines(block: str) -> list[str]:
    return [line.strip() for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("text", "language"), [(text, language) for language, block in CLEAR.items() for text in lines(block)]
)
def test_a_sentence_is_clearly_in_its_language(text: str, language: Language) -> None:
    assert clear_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "ok", "OK!", "👍", "", "42", "Danke", "merci", "hi", "super", "info", "AB-1234", "no", "die", "agent",
        "https://example.com/wo/ist/mein/paket", "`the is are my`", "```\nwhere is the thing that you are\n```",
        "jan.und.die.der@example.com",
        "Gdzie jest moja paczka? Nie mogę się zalogować i nie wiem, co dalej robić.",
        "Var är mitt paket? Jag kan inte logga in.",
        "パスワードをリセットするにはどうすればよいですか",
    ],
)  # fmt: skip
def test_a_short_or_foreign_text_is_clear_in_no_language(text: str) -> None:
    assert clear_language(text) is None


@pytest.mark.parametrize(
    ("texts", "locale", "language"),
    [
        (["Danke!"], None, "de"),
        (["gracias"], "de-DE", "es"),
        (["merci", "ok"], None, "fr"),
        (["ok"], "de-AT", "de"),
        (["Hallo"], "nl-BE", "nl"),
        (["Hallo"], "de", "de"),
        (["Hallo"], None, None),
        (["ok"], None, None),
        (["ok"], "pl", None),
        ([], "fr-CA", "fr"),
        ([], None, None),
    ],
)
def test_short_texts_suggest_a_language_and_then_the_browser_does(
    texts: list[str], locale: str | None, language: str | None
) -> None:
    assert likely_language(texts, locale) == language


def test_the_first_clear_text_counts() -> None:
    assert first_clear(["ok", "Wo ist meine Bestellung?", "Where is my order?"]) == "de"
    assert first_clear(["ok", "👍"]) is None


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Danke, hat geklappt", False),
        ("Merci beaucoup", False),
        ("Muchas gracias", False),
        ("Wo ist meine Bestellung?", True),
        ("Can you write in English, please?", True),
    ],
)
def test_a_courtesy_does_not_change_the_language_of_a_conversation(text: str, changes: bool) -> None:
    assert (clear_language(text, CHANGING_LEAD) is not None) is changes


def test_a_text_made_to_be_slow_is_read_in_no_time() -> None:
    began = time.monotonic()
    for text in (
        "." * 4_000,
        "`" * 4_000,
        "```" * 1_300,
        "a@" * 2_000,
        "://" * 1_300,
        "ich " * 1_000,
        "a" * 4_000,
    ):
        clear_language(text)
    assert time.monotonic() - began < 1
