"""The chat community: a server of Discord, with alerts for the team and commands for its members."""
