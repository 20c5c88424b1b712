"""Errors of sending mail. None of them reaches a client; the sender decides what each means.

MailNotSent      not sent; a retry can succeed
  MailRefused    never accepted, such as an impossible address
  MailNotSetUp   this deployment has no sender address
  MailNotAllowed SES accepts no mail from this deployment until its operator acts; a retry can succeed after that
  MailInDoubt    possibly sent: there was no response, or an unclear one
"""


class MailNotSent(Exception):
    """The mail was not sent. The text is SES's error code, never an address."""


class MailRefused(MailNotSent):
    """SES rejects the mail permanently."""


class MailNotSetUp(MailNotSent):
    """No sender address is set (the parameter MailFrom of template.yaml)."""


class MailNotAllowed(MailNotSent):
    """SES refuses the deployment, not the mail: the sandbox, an unverified sender, paused sending, a missing right.

    Only the operator can fix it. Nothing is wrong with the mail, so it is kept.
    """


class MailInDoubt(MailNotSent):
    """SES did not respond, or failed internally. The mail may have been sent."""
