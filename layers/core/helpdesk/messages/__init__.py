"""The visitor's side: a message comes in, a thread is read back."""
