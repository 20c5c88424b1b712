"""The OAuth server: client registration, sign-in, consent, tokens, and the pages of it and of invitations."""
