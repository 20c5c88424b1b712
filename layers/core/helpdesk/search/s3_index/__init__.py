"""Full-text indexes (Tantivy) kept in S3, with one writer at a time and any number of readers."""
