"""Stand-ins of the services of integrations: one server for all of their hosts."""
