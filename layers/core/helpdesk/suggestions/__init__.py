"""Knowledge suggestions: what the team answered, proposed for the knowledge base."""
