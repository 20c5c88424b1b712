"""Tool endpoints and tools: what an organization's own servers declare that the agent may call."""
