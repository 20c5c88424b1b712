"""Admission: authenticates the caller and charges the rate limit, in one conditional write for a secret key."""
