"""Full-text search of the inbox, signals, the boards and customers, by the words in them."""
