"""A visitor who asks for a person gets one in every language that the agent knows."""

import time

import pytest

from helpdesk.agent.intents import requests_human

WISHES = {
    "German": """
        Ich möchte mit einem Menschen sprechen
        ich will mit einem echten Mitarbeiter reden
        Kann ich mit jemandem vom Team sprechen?
        Bitte verbinden Sie mich mit dem Support
        Verbinde mich bitte mit einer Person
        Ich brauche einen Mitarbeiter
        Mensch bitte
        Kann mir bitte jemand helfen?
        Ich will nicht mit einem Bot schreiben
        Kein Bot, bitte!
        Könnten Sie das bitte an einen Kollegen weitergeben und mich an einen Mitarbeiter weiterleiten?
    """,
    "French": """
        Je voudrais parler à un humain
        je veux parler avec un conseiller
        Puis-je parler à quelqu’un ?
        Passez-moi un conseiller
        Mettez-moi en contact avec une personne
        Je veux un humain
        Un humain s'il vous plaît
        Quelqu'un peut m'aider ?
        Pas un robot !
    """,
    "Spanish": """
        Quiero hablar con una persona
        ¿Puedo hablar con un agente?
        necesito hablar con alguien
        Páseme con un operador por favor
        Comuníqueme con atención al cliente
        Quiero un humano
        Persona real por favor
        No quiero hablar con un robot
        ¿Alguien puede ayudarme?
    """,
    "Italian": """
        Vorrei parlare con un operatore
        Posso parlare con una persona?
        voglio parlare con qualcuno
        Mi passi un operatore per favore
        Mettimi in contatto con una persona vera
        Voglio un umano
        Operatore per favore
        Non voglio parlare con un bot
    """,
    "Portuguese": """
        Quero falar com um humano
        Posso falar com uma pessoa?
        preciso falar com alguém
        Me passe para um atendente
        Quero um atendente
        Atendente por favor
        Não quero falar com um robô
        Alguém pode me ajudar?
    """,
    "Dutch": """
        Ik wil met een mens praten
        Kan ik met iemand spreken?
        Verbind me door met een medewerker
        Ik wil een echte medewerker spreken
        Medewerker graag
        Geen bot alsjeblieft
        Kan iemand me helpen?
    """,
}

OTHERWISE = """
    Wie lade ich einen Mitarbeiter ein?
    Wie viele Personen können in meinem Team sein?
    Kann mein Team mit Besuchern chatten?
    Wie übernehme ich ein Gespräch vom Agenten?
    Comment inviter une personne dans mon équipe ?
    Combien coûte le support ?
    Mon équipe utilise déjà le service
    ¿Cómo invito a una persona a mi equipo?
    ¿Cuánto cuesta el soporte para un agente?
    Come aggiungo un operatore al mio team?
    Quanto costa il servizio per persona?
    Como adiciono uma pessoa à minha equipe?
    Quanto custa por pessoa?
    Hoe nodig ik een medewerker uit?
    Wat kost het per persoon?
    Wie richte ich Webhooks ein?
    Où sont mes factures ?
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in WISHES.items() for text in lines(texts)]
)
def test_a_request_for_a_person_is_recognized_in(language: str, text: str) -> None:
    assert requests_human(text)
    assert requests_human(text.upper())
    assert requests_human(f"Hello. {text}. Thank you.")


@pytest.mark.parametrize("text", lines(OTHERWISE))
def test_a_question_about_people_is_not_a_request(text: str) -> None:
    assert not requests_human(text)


@pytest.mark.parametrize("between", ["\n", ".", ". ", "!\n ", "?-", " ", ", "])
def test_a_message_of_punctuation_alone_is_searched_quickly(between: str) -> None:
    text = f"a{between * (3_998 // len(between))}a"
    before = time.process_time()

    assert not requests_human(text)

    # A few ms; it took two seconds where each full stop was gone on from through all the others.
    assert time.process_time() - before < 0.3


@pytest.mark.parametrize("between", ["...", ".\n\n", "!?! ", ". - ", "\n\t\n"])
def test_a_word_by_itself_is_recognized_after_any_punctuation(between: str) -> None:
    assert requests_human(f"Danke{between}Mitarbeiter")
    assert requests_human(f"{between}Mensch bitte")
