"""Secret keys: the credentials of an organization's servers, and what deliveries are signed with."""
