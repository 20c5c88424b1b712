"""Mail that comes in, and what Amazon SES reports of mail that went out."""
