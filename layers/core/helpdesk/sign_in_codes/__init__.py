"""One-time codes by mail: of people who sign in to the service, and of visitors who sign in to a help site."""
