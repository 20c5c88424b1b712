"""Mail of a local stack: a listener for SMTP, in place of SES's own, and a page of all mails."""
