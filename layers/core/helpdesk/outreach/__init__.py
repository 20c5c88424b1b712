"""Writing to a customer first, in their conversation and by mail."""
