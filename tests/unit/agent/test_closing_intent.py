"""That all is well is heard where a message says that and nothing else."""

import pytest

from helpdesk.agent.intents import is_closing_message

WELL = """
    thanks
    Thanks!
    Thank you so much 🙏
    Great, thanks a lot for your help!
    ok thx bye
    Perfect, that worked. Thank you!
    It's solved now, thanks
    Problem solved
    That's all, thanks
    that answers my question
    Danke!
    Vielen Dank für die schnelle Hilfe
    Super, hat geklappt. Danke schön!
    Das hat geholfen, vielen lieben Dank
    Alles klar, danke
    Problem gelöst
    Merci beaucoup !
    Parfait, ça marche. Merci
    C'est bon, merci pour votre aide
    C’est résolu
    Muchas gracias
    Perfecto, ya funciona, gracias
    Está resuelto, gracias por su ayuda
    Grazie mille
    Ottimo, ora funziona. Grazie
    Tutto chiaro, grazie per la risposta
    Muito obrigada!
    Deu certo, obrigado pela ajuda
    Bedankt!
    Top, het werkt. Dank je wel
    Dank u voor uw hulp
"""

MORE = """
    thanks, but it still fails
    Thanks. How do I delete my account?
    thanks and where are my invoices
    not solved
    It's not solved, thanks
    no thanks
    ok
    great
    yes
    hello
    Thanks for nothing
    Thanks, I would like a refund
    thanks, I want to talk to a human
    it works sometimes
    if that helped I would say thanks
    Danke, aber es geht nicht
    Danke! Und wie kündige ich?
    Merci mais ça ne marche pas
    Merci, je voudrais parler à un humain
    No funciona, gracias
    Gracias, ¿y el envío?
    Grazie, ma non funziona
    Obrigado, mas não funcionou
    Bedankt, maar het werkt niet
    Thank you 12345
    🙏
    ?
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("text", lines(WELL))
def test_a_closing_message_is_recognized(text: str) -> None:
    assert is_closing_message(text)


@pytest.mark.parametrize("text", [*lines(MORE), "", "   ", "thanks " * 40])
def test_a_message_that_says_more_is_not_a_closing_message(text: str) -> None:
    assert not is_closing_message(text)


@pytest.mark.parametrize("text", [f"{line}?" for line in lines(WELL)])
def test_a_question_is_not_a_closing_message(text: str) -> None:
    assert not is_closing_message(text)


def test_the_agent_may_be_called_by_its_name() -> None:
    assert is_closing_message("Thanks, Robin!", "Robin")
    assert not is_closing_message("Thanks, Robin!", "Grace")
    assert not is_closing_message("Robin", "Robin")


def test_a_long_message_is_classified_quickly() -> None:
    assert not is_closing_message("ok " * 66 + "x")
