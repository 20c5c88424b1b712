"""The visitors of a help site: their browsers, who is signed in, and whether a form came from the site's own page."""
