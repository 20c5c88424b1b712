"""How a person lets a program act for him: registration, sign-in, approval, tokens, and their pages."""
