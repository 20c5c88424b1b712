"""The agent's runs: a model that thinks, calls tools, waits for the team, and answers, one stored step at a time."""
