"""Knowledge: the documents that the agent answers from, and the index in which it finds them."""
