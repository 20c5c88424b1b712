"""What happened, written in the same transaction as the change that it tells of."""
