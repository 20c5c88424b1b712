"""The feedback board: posts that customers vote for and comment on, and what the team says of them."""
