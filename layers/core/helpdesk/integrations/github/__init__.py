"""GitHub: mirrored repositories, issues of signals, and the commits that move cards."""
