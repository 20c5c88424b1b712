import pytest

from helpdesk.agent.intents import requests_human


@pytest.mark.parametrize(
    "text",
    [
        "I want to talk to a human",
        "human",
        "agent please",
        "Can I speak to someone from support?",
        "can i talk to a real person",
        "Please connect me with an agent",
        "get me a human!",
        "let me speak with your manager",
        "I need a person",
        "I want an agent to look at this",
        "is there a human I can talk to?",
        "can someone call me?",
        "I don’t want to talk to a bot",
        "transfer me to customer service",
        "speak to a representative",
        "I'd like to chat with an agent",
        "put me through to the support team",
        "My invoice is wrong. I would like to speak to a human being",
        "Could you pass me on to a colleague?",
        "can a person help me",
        "no bots please",
    ],
)
def test_a_request_for_a_person_is_recognized(text: str) -> None:
    assert requests_human(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I take over a conversation from the agent?",
        "How do I hand a conversation to a person?",
        "how does the agent hand off to the team",
        "can I answer a visitor as a person",
        "How do I invite someone to my team?",
        "how do I contact another customer",
        "I want an agent that speaks German",
        "does the agent use a language model",
        "how do I give someone in my team access",
        "can someone else see my messages",
        "I need to change the agent's name",
        "How can my team talk to visitors?",
        "can I talk to the API from the browser",
        "who can see my data: a person or a machine",
        "How do I stop the bot from answering?",
        "Can I give the agent a personality",
        "I need agent settings explained",
        "how do I get support for webhooks",
        "",
    ],
)
def test_a_question_about_people_and_agents_is_not_a_request(text: str) -> None:
    assert not requests_human(text)
