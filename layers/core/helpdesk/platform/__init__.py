"""What every module stands on: clock, ids, settings, AWS clients, logging and the base of all errors."""
