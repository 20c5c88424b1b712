"""Members: the people of one organization and their roles."""
