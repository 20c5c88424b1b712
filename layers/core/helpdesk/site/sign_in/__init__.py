"""Sign-in of the help site's visitors: by a code in a mail, by the customer's app, or by an OpenID Connect provider."""
