"""Knowledge: the documents that the agent answers from, and the index that it searches."""
