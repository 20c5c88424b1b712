"""A folder of Markdown files and the knowledge base, kept in step: `knowledge push` and `knowledge pull`."""
