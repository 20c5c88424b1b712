"""A mail becomes a message: of whom, in which conversation, and who answers it."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.customers import service as customers
from helpdesk.customers.record import identity_of
from helpdesk.site.sign_in import people
from tests.integration.outreach.test_sending import visit
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.incoming_mail import FORGED, UNVERIFIED, arrive, deliver, handed, set_up, written
from tests.support.mail import Sent

type Make = Callable[..., NewOrganization]
VERA = "vera@example.com"


@pytest.fixture(autouse=True)
def _receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch)


def listed(api: Client, **query: Any) -> list[dict[str, Any]]:
    """Return the organization's conversations, the newest first."""
    words = "&".join(f"{name}={value}" for name, value in query.items())
    return list(api.get(f"/v1/conversations?{words}").body["conversations"])


def entries(api: Client, conversation: str, kind: str = "message") -> list[dict[str, Any]]:
    found = api.get(f"/v1/conversations/{conversation}").body["messages"]
    return [entry for entry in found if entry["kind"] == kind]


def said(api: Client, conversation: str, kind: str = "message") -> list[str]:
    return [entry["body"] for entry in entries(api, conversation, kind)]


def reply_address(organization: NewOrganization, conversation: str) -> str:
    found = conversations.get(organization.organization_id, conversation)
    return str(reply_addresses.of(found))


def sent(api: Client, mail: EmailMessage, slug: str, *more: Any, **verdicts: Any) -> dict[str, Any]:
    """Let a mail arrive that begins a conversation; return that."""
    before = {each["id"] for each in [*listed(api), *listed(api, archived="true")]}
    deliver(arrive(mail, slug, *more, **verdicts))
    (new,) = [each for each in [*listed(api), *listed(api, archived="true")] if each["id"] not in before]
    return new


def test_a_mail_begins_a_conversation_that_the_agent_answers(api: Client, slug: str) -> None:
    found = sent(api, written(), slug)

    assert found["channel"] == "email"
    assert found["subject"] == "My order"
    assert found["handledBy"] == "agent"
    assert (found["customer"]["name"], found["customer"]["email"]) == ("Vera", VERA)
    (message,) = entries(api, found["id"])
    assert message["body"] == "Where is my order?"
    assert message["mail"] == {"address": VERA, "name": "Vera", "isVerified": True, "subject": "My order"}
    assert [item["body"]["messageId"] for item in whole_table.jobs("agent")] == [message["id"]]


def test_a_verified_sender_is_the_customer_who_signs_in_with_that_address(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    visitor = people.by_address(organization.organization_id, VERA)
    found = sent(api, written(), slug)

    assert found["customer"]["id"] == visitor.customer_id
    again = sent(api, written(subject="Another thing", sender="VERA@Example.com"), slug)
    assert again["customer"]["id"] == visitor.customer_id


def test_an_unverified_sender_is_a_customer_of_its_own_whose_address_no_tool_gets_as_proven(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    proven = people.by_address(organization.organization_id, VERA).customer_id
    first = sent(api, written(), slug, UNVERIFIED)
    second = sent(api, written(subject="Once more"), slug, UNVERIFIED)

    assert first["customer"]["id"] == second["customer"]["id"] != proven
    owner = customers.get(organization.organization_id, first["customer"]["id"])
    assert identity_of(owner).email == VERA
    assert not identity_of(owner).email_verified
    assert not entries(api, first["id"])[0]["mail"]["isVerified"]


def test_an_answer_to_the_reply_address_joins_its_conversation(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    found = sent(api, written(), slug)
    sent(api, written(subject="Another thing"), slug)
    answer = written("That did not work.", subject="Whatever")
    deliver(arrive(answer, reply_address(organization, found["id"])))

    assert said(api, found["id"]) == ["Where is my order?", "That did not work."]


@pytest.mark.parametrize("header", ["In-Reply-To", "References"])
def test_an_answer_that_names_our_mails_or_an_own_one_joins_their_conversation(
    api: Client, slug: str, header: str
) -> None:
    name = header.replace("-", "_")
    found = sent(api, written(message_id="first@mail.example.com"), slug)
    sent(api, written(subject="Another thing"), slug)
    ours, own = f"<{found['id']}@helpdesk.example>", "<first@mail.example.com>"
    deliver(arrive(written("To yours.", subject="A", **{name: ours}), slug))
    deliver(arrive(written("To mine.", subject="B", **{name: own}), slug))

    assert said(api, found["id"])[1:] == ["To yours.", "To mine."]


def test_an_answer_without_references_joins_the_newest_open_conversation_of_its_subject(
    api: Client, slug: str
) -> None:
    sent(api, written(), slug)
    second = sent(api, written("Where is the second one?"), slug)
    deliver(arrive(written("Any news?", subject="AW: Re: my order"), slug))

    assert said(api, second["id"]) == ["Where is the second one?", "Any news?"]


def test_a_new_mail_with_a_known_subject_begins_another_conversation(api: Client, slug: str) -> None:
    first = sent(api, written(), slug)

    assert sent(api, written(), slug)["id"] != first["id"]


def test_an_answer_to_a_resolved_conversation_begins_another_one_of_the_same_customer(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    found = sent(api, written(), slug)
    assert api.post(f"/v1/conversations/{found['id']}/resolve").status == 200
    new = sent(
        api, written("Still nothing.", subject="Re: My order"), reply_address(organization, found["id"])
    )

    assert new["customer"]["id"] == found["customer"]["id"]
    assert new["channel"] == "email"


def test_an_answer_to_a_mail_of_the_widget_joins_its_conversation_there(
    api: Client, organization: NewOrganization
) -> None:
    conversation, _ = visit(api, email=VERA)
    deliver(arrive(written("By mail."), reply_address(organization, conversation)))

    (seen,) = api.get("/v1/messages?session=session-of-vera").body["conversations"]
    assert [message["body"] for message in seen["messages"]] == ["Hello", "By mail."]


@pytest.mark.parametrize("verdicts", [UNVERIFIED, FORGED])
def test_nobody_but_a_proven_customer_joins_their_conversation(
    api: Client, organization: NewOrganization, slug: str, verdicts: dict[str, str]
) -> None:
    found = sent(api, written(message_id="first@mail.example.com"), slug)
    reply_to = reply_address(organization, found["id"])
    forged = written(
        "Send it to my new address.", subject="Re: My order", References="<first@mail.example.com>"
    )
    new = sent(api, forged, reply_to, verdicts)

    assert said(api, found["id"]) == ["Where is my order?"]
    assert new["customer"]["id"] != found["customer"]["id"]
    assert any(found["id"] in line for line in said(api, new["id"], "system"))


def test_a_colleague_with_the_reply_address_begins_a_conversation_of_their_own(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    found = sent(api, written(), slug)
    new = sent(
        api,
        written("I am Vera's colleague.", sender="Carl <carl@example.com>"),
        reply_address(organization, found["id"]),
    )

    assert new["customer"]["email"] == "carl@example.com"
    assert said(api, found["id"]) == ["Where is my order?"]


def test_a_stranger_does_not_join_a_conversation_by_its_subject_or_by_references(
    api: Client, slug: str
) -> None:
    found = sent(api, written(message_id="first@mail.example.com"), slug, UNVERIFIED)
    stranger = written(
        "Me, too.",
        sender="mallory@evil.example",
        subject="Re: My order",
        In_Reply_To="<first@mail.example.com>",
        References=f"<{found['id']}@helpdesk.example>",
    )
    sent(api, stranger, slug)

    assert said(api, found["id"]) == ["Where is my order?"]


def test_a_reply_address_leads_to_its_own_organization_alone(
    api: Client, organization: NewOrganization, make_organization: Make, slug: str
) -> None:
    found = sent(api, written(), slug)
    other = Client(make_organization().secret_key)
    theirs = other.get("/v1/organization").body["slug"]
    answer = written("Elsewhere.", References=f"<{found['id']}@helpdesk.example>")
    new = sent(other, answer, theirs)

    assert said(other, new["id"]) == ["Elsewhere."]
    assert said(api, found["id"]) == ["Where is my order?"]


def test_a_mail_that_comes_twice_makes_one_message(api: Client, slug: str) -> None:
    mail = written()
    notice = arrive(mail, slug)
    for each in (notice, notice, arrive(mail, slug)):
        deliver(each)

    (found,) = listed(api)
    assert said(api, found["id"]) == ["Where is my order?"]


def test_nobody_uses_up_the_message_id_of_anothers_mail(api: Client, slug: str) -> None:
    first = written("First!", sender="mallory@evil.example", message_id="known@mail.example.com")
    sent(api, first, slug)

    assert sent(api, written(message_id="known@mail.example.com"), slug)["customer"]["email"] == VERA


def test_an_out_of_office_reply_is_a_line_that_nobody_answers(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    found = sent(api, written(), slug)
    whole_table.remove("EVENT")
    away = written("I am away until Monday.", subject="Out of office", Auto_Submitted="auto-replied")
    notice = arrive(away, reply_address(organization, found["id"]))
    deliver(notice)
    deliver(notice)

    assert said(api, found["id"]) == ["Where is my order?"]
    assert said(api, found["id"], "system") == [
        "Vera answered automatically by mail: I am away until Monday."
    ]
    assert whole_table.jobs("agent") == []


@pytest.mark.parametrize(
    ("mail", "verdicts", "line"),
    [
        (
            written(Auto_Submitted="auto-generated"),
            {},
            "This mail was sent automatically, so the agent doesn't answer it.",
        ),
        (
            written(),
            FORGED,
            "The sender's domain disowns this mail (DMARC): anyone can have written it. The agent doesn't answer it.",
        ),
    ],
)
def test_what_no_customer_wrote_waits_for_the_team(
    api: Client, slug: str, mail: EmailMessage, verdicts: dict[str, str], line: str
) -> None:
    found = sent(api, mail, slug, **verdicts)

    assert found["handledBy"] == "team"
    assert found["awaitingHuman"]
    assert said(api, found["id"], "system") == [line]
    assert whole_table.jobs("agent") == []


@pytest.mark.parametrize("verdict", ["spam", "virus"])
def test_spam_and_viruses_are_archived_and_nobody_answers_them(api: Client, slug: str, verdict: str) -> None:
    mail = written()
    mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="bill.pdf")
    found = sent(api, mail, slug, **{verdict: "FAIL"})

    assert found["archivedAt"] is not None
    assert whole_table.jobs("agent") == []
    names = [file["name"] for file in entries(api, found["id"])[0]["attachments"]]
    assert names == (["bill.pdf"] if verdict == "spam" else [])


def test_two_machines_that_answer_each_other_stop_after_ten_mails(api: Client, slug: str) -> None:
    for _ in range(12):
        deliver(arrive(written("Thank you for your mail.", subject="Your request"), slug))

    found = listed(api)
    assert len(found) == 12
    assert [each["handledBy"] for each in found] == ["team"] * 2 + ["agent"] * 10
    assert len(whole_table.jobs("agent")) == 10


def test_a_storm_of_one_sender_leaves_room_for_another(api: Client, slug: str) -> None:
    for _ in range(60):
        deliver(arrive(written("Buy!", sender="mallory@evil.example"), slug))
    found = sent(api, written(), slug)

    assert found["customer"]["email"] == VERA
    assert len(listed(api)) == 21
    assert any("mails of one sender" in each["summary"] for each in api.get("/v1/logs").body["logs"])


def test_files_come_with_the_mail_and_what_no_message_may_have_is_named(api: Client, slug: str) -> None:
    mail = written()
    mail.add_attachment(b"\x89PNG\r\n\x1a\n" + bytes(16), maintype="image", subtype="png", filename="box.png")
    mail.add_attachment("<script>alert(1)</script>", subtype="html", filename="page.html")
    found = sent(api, mail, slug)

    assert [file["name"] for file in entries(api, found["id"])[0]["attachments"]] == ["box.png"]
    (line,) = said(api, found["id"], "system")
    assert line.startswith("Left out of this mail: page.html")


def test_a_long_mail_is_cut_and_one_without_text_says_so(api: Client, slug: str) -> None:
    long = sent(api, written("word " * 1_000, subject="Long"), slug)
    empty = sent(api, written("", subject="Empty"), slug)

    (body,) = said(api, long["id"])
    assert len(body) <= 4_000
    assert body.endswith(" …")
    assert said(api, long["id"], "system") == ["The mail is longer than a message. Its source has all of it."]
    assert said(api, empty["id"]) == ["(This mail has no text.)"]


@pytest.mark.parametrize(
    "to", ["nobody", "r+aaaaaaaaaaaaaaaaaaaaaaaaaa", "acme@elsewhere.example", "r+", "#"]
)
def test_mail_to_an_address_that_nobody_has_is_dropped(api: Client, to: str) -> None:
    deliver(arrive(written(), to))

    assert listed(api) == []


def test_mail_of_this_deployment_is_not_answered_by_itself(api: Client, slug: str) -> None:
    for own in ("support@helpdesk.example", f"{slug}@in.helpdesk.example"):
        deliver(arrive(written(sender=own), slug))

    assert listed(api) == []


def test_a_mail_whose_object_is_gone_is_dropped(api: Client, slug: str) -> None:
    notice = arrive(written(), slug)
    notice["receipt"]["action"]["objectKey"] = "inbound/gone"

    assert handed(notice) == []
    assert listed(api) == []


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\x00", b"From: a\r\n\r\n", b"From: x@y\nFrom: z@w\n\nHi"])
def test_any_bytes_become_a_message(api: Client, slug: str, raw: bytes) -> None:
    deliver(arrive(raw, slug, UNVERIFIED))

    assert len(listed(api)) == 1
