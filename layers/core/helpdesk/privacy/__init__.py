"""What becomes of what is known of people: taking it out, erasing it, and not keeping it longer than wanted."""
