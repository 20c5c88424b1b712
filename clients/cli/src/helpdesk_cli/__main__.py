"""`python -m helpdesk_cli` is the same as `helpdesk`."""

from helpdesk_cli.main import main

main(prog_name="helpdesk")
