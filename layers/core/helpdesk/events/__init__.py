"""Events and jobs, written in the same transaction as the change that they follow from."""
