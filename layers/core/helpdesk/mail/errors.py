"""Errors of sending mail. None of them reaches a client; the sender decides what each means.

MailNotSent      not sent; a retry can succeed
  MailRefused    never accepted, such as an impossible address
  MailNotSetUp   this deployment has no sender address
  MailInDoubt    possibly sent: there was no response, or an unclear one
"""


class MailNotSent(Exception):
    """The mail was not sent. The text is SES's error code, never an address."""


class MailRefused(MailNotSent):
    """SES rejects the mail permanently."""


class MailNotSetUp(MailNotSent):
    """No sender address is set (the parameter MailFrom of template.yaml)."""


class MailInDoubt(MailNotSent):
    """SES did not respond, or failed internally. The mail may have been sent."""
