"""How much an organization may keep and use on its plan, held by conditional writes."""
