"""Support addresses, confirmed with the code that the mailer mails to them."""

from unittest.mock import patch

from helpdesk.accounts.organizations import mailing
from helpdesk.accounts.organizations.confirming import SupportEmailMail
from helpdesk.mail import service as mail
from tests.support.api import Answer, Client
from tests.support.mail import jobs


def mailed_code() -> str:
    """Mail the code that was requested last, and return it."""
    with patch.object(mail, "send_support_code") as sent:
        assert mailing.send(SupportEmailMail.from_body(jobs()[-1]["jobs"][0]["body"])) == "sent"
    return str(sent.call_args.args[1])


def set_support_email(client: Client, email: str) -> Answer:
    """Set a support address and confirm it."""
    assert client.patch("/v1/organization", {"supportEmail": email}).status == 200
    return client.patch("/v1/organization", {"supportEmailCode": mailed_code()})
