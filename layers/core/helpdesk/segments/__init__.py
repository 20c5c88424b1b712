"""Search indexes as immutable segment files in S3: the store, a function's copies, and the making of segments."""
