"""What signals hold of a customer is erased and exported with the customer, whatever happens at the same time."""

from functools import partial
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.privacy import erasing
from helpdesk.signals import erasure
from tests.support.api import Client
from tests.support.effort import of
from tests.support.interleaving import interleaved
from tests.support.signals import (
    conversation,
    filed,
    jobs,
    merge,
    read,
    report,
    require_consistent,
    set_status,
    stored,
    work,
)
from tests.support.traces import in_the_table
from tests.support.workers import Workers


def customer_of(api: Client, conversation_id: str) -> str:
    return str(api.get(f"/v1/conversations/{conversation_id}").body["conversation"]["customer"]["id"])


def reported(
    api: Client, title: str = "The export stops", session: str = "session-of-vera"
) -> tuple[str, str]:
    """Let a visitor report a signal in unique words; return the signal and the customer."""
    asked = conversation(api, session, body="My xylophone fell", user={"name": "Zephyrine"})
    return filed(api, title, conversationId=asked, quote="A bassoon!"), customer_of(api, asked)


def test_a_report_is_erased_with_its_customer_and_the_signal_stays(
    api: Client, organization: NewOrganization
) -> None:
    signal, customer = reported(api)
    report(api, signal, who="Grace")

    api.delete(f"/v1/customers/{customer}")
    Workers().run()

    found = read(api, signal)
    assert ([each["who"] for each in found["reporters"]], found["signal"]["reporterCount"]) == (["Grace"], 1)
    assert in_the_table(["xylophone", "Zephyrine", "bassoon"]) == []
    require_consistent(organization.organization_id)


def test_a_report_is_exported_with_its_customer(api: Client) -> None:
    signal, customer = reported(api)

    exported = api.get(f"/v1/customers/{customer}/export").body
    [shown] = exported["reports"]
    assert (shown["signalId"], shown["title"], shown["quote"]) == (signal, "The export stops", "A bassoon!")
    assert shown["conversationIds"] == [exported["conversations"][0]["conversation"]["id"]]


def test_a_merge_and_a_message_at_the_time_of_an_erasure_keep_and_send_nothing(
    api: Client, organization: NewOrganization
) -> None:
    tenant = organization.organization_id
    for seed in range(of(4, 60)):
        signal = filed(api, f"One {seed}", who="Grace")
        duplicate, customer = reported(api, f"Two {seed}", f"session-number-{seed}")
        set_status(api, signal, "done")
        notice = jobs("status")[-1]
        erasure_id = api.delete(f"/v1/customers/{customer}").body["receipt"]["id"]
        pieces: list[Any] = [
            partial(merge, api, signal, duplicate),
            partial(erasing.erase_customer, tenant, erasure_id, clock.now_ms() + 60_000),
            partial(work, notice),
        ]
        interleaved(pieces, seed).all()
        for job in jobs("merge"):
            work(job)
        erasing.erase_customer(tenant, erasure_id, clock.now_ms() + 60_000)
        assert [each.who for each in stored(tenant)[1] if each.customer_id is not None] == []
        assert read(api, signal)["signal"]["reporterCount"] == 1
        require_consistent(tenant)
    assert in_the_table(["xylophone", "bassoon"]) == []


def test_a_report_loses_what_it_holds_of_an_erased_conversation(
    api: Client, organization: NewOrganization
) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first, quote="A bassoon!")
    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="Again")
    report(api, signal, conversationId=second, images=[{"url": "https://images.example.com/a.png"}])

    for _ in range(2):
        erasure.forget_conversation(organization.organization_id, customer_of(api, first), first)

    [reporter] = read(api, signal)["reporters"]
    assert [each["conversationId"] for each in reporter["conversations"]] == [second]
    assert (reporter["quote"], len(reporter["images"])) == ("", 1)


def test_a_customer_who_is_being_erased_reports_nothing(api: Client) -> None:
    signal, customer = reported(api)
    asked = read(api, signal)["reporters"][0]["conversations"][0]["conversationId"]
    api.delete(f"/v1/customers/{customer}")

    other = filed(api, "Another")
    assert api.post(f"/v1/signals/{other}/reports", {"customerId": customer}).code == "customer_not_found"
    assert api.post(f"/v1/signals/{other}/reports", {"conversationId": asked}).status == 404


def test_the_words_of_an_erased_conversation_go_also_if_the_report_began_in_another(
    api: Client, organization: NewOrganization
) -> None:
    first = conversation(api)
    signal, duplicate = filed(api, "One", conversationId=first), filed(api, "Two")
    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="Again")
    report(api, duplicate, conversationId=second, quote="A bassoon!")
    merge(api, signal, duplicate)
    assert read(api, signal)["reporters"][0]["quote"] == "A bassoon!"

    erasure.forget_conversation(organization.organization_id, customer_of(api, first), second)

    assert read(api, signal)["reporters"][0]["quote"] == ""
    assert in_the_table(["bassoon"]) == []
