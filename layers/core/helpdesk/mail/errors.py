"""What can keep a mail from being sent. None of these goes out by itself: whoever sends says what it means.

MailNotSent      not sent this time; another try may do it
  MailRefused    this mail will never be taken, such as for an address that cannot be
  MailNotSetUp   this deployment has no address to send from
  MailInDoubt    nobody knows whether it was sent: no answer came, or one that does not say
"""


class MailNotSent(Exception):
    """The mail was not sent. Its text is the service's error code, and never an address."""


class MailRefused(MailNotSent):
    """The mail will not be taken however often it is tried."""


class MailNotSetUp(MailNotSent):
    """No address is set that mail comes from (the parameter MailFrom of template.yaml)."""


class MailInDoubt(MailNotSent):
    """The service was asked, and did not answer or failed within: the mail may be on its way, or never go."""
