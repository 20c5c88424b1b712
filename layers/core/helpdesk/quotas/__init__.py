"""How much an organization may keep on its plan, held by conditional writes."""
