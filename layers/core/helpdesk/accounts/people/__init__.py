"""People: who signs in, and which organizations they belong to."""
