"""Who is asking, may he, and is there allowance left: one conditional write for a secret key."""
