"""Full-text search of the inbox: conversations and customers by the words in them."""
