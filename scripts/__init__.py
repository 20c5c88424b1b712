"""What is run by hand or by make: the local stack, the example receiver, the operator's command, the lock."""
