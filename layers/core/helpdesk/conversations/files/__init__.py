"""Files: uploads, downloads, attachments to messages, and removal of unattached files."""
