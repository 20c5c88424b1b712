"""What is asked in a message that has the form of a letter, and messages that have another form."""

import pytest

from helpdesk.agent.letters import body_of

ASKED = "How are webhooks signed?\n\nThe guide doesn't say."


@pytest.mark.parametrize(
    "letter",
    [
        "Hello,\n\n{}\n\nThanks\nVera",
        "Hello,\n{}\nThanks\nVera",
        "Hey there\n\n{}\n\nCheers, Tom",
        "Dear Sir or Madam,\n\n{}\n\nKind regards,\nVera Lindqvist",
        "Good morning,\nI hope you are well.\n\n{}\n\nMany thanks for your help,\n\nVera",
        "Hi Acme Support Team,\n\n{}\n\nThank you in advance!\n\nBest,\nVera\nHead of Sales\n+44 20 7946 0958",
        "Sehr geehrte Damen und Herren,\n\n{}\n\nVielen Dank im Voraus!\n\nMit freundlichen Grüßen\nVera Lindner",
        "Hallo zusammen\n\n{}\n\nLG Tom",
        "Estimados señores:\n\n{}\n\nMuchas gracias de antemano.\n\nUn cordial saludo,\nVera García",
        "Madame, Monsieur,\n\n{}\n\nMerci d'avance pour votre réponse.\n\nCordialement,\nVera Martin",
        "Bonjour à tous,\n\n{}\n\nJe vous prie d’agréer, Madame, Monsieur, mes salutations distinguées.\n\nVera",
        "Gentile team,\n\n{}\n\nGrazie mille in anticipo\n\nCordiali saluti\nVera Rossi",
        "Prezados senhores,\n\n{}\n\nObrigada desde já.\n\nAtenciosamente,\nVera Souza",
        "Geachte heer/mevrouw,\n\n{}\n\nAlvast bedankt!\n\nMet vriendelijke groet,\nVera Visser",
        "Hej supporten,\n\n{}\n\nThanks",
    ],
)
def test_greeting_closing_and_signature_are_left_out(letter: str) -> None:
    assert body_of(letter.format(ASKED)) == ASKED


@pytest.mark.parametrize(
    "message",
    [
        "Hi",
        "Thanks!",
        "refund",
        "Hello,",
        "Hello, where is my order?",
        "Hi I need a refund\n\nit was broken",
        "Where is it?\n\nMain Street 4\n10115 Berlin",
        "Where is it?\nThanks\n4711",
        "Which of these?\n\n- apples\n- pears\n- figs",
        "Error ERR-204:\n\nwhat does it mean",
        "Best plan for teams\n\nwhich one",
    ],
)
def test_a_message_of_another_form_stays_whole(message: str) -> None:
    assert body_of(message) == message


@pytest.mark.parametrize(
    "last", ["Thanks, but it still fails", "Danke, aber es geht nicht", "Thanks\nrefund"]
)
def test_thanks_that_are_followed_by_more_stay(last: str) -> None:
    assert body_of(f"I restarted it.\n{last}") == f"I restarted it.\n{last}"


def test_thanks_stay_if_nothing_else_would_be_left() -> None:
    assert body_of("Hello,\n\nThanks!") == "Thanks!"


def test_thanks_above_a_closing_are_what_the_visitor_says() -> None:
    assert body_of("Hi Tom,\n\nthat solved it, thanks!\n\nBest regards\nVera") == "that solved it, thanks!"
