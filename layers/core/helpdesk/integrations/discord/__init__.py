"""Discord: alerts for the team in a server, and commands for its members."""
