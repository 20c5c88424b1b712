"""One-time codes by mail, to sign in to the service or a help site, and to confirm a support address."""
