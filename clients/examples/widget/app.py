"""A site with the Helpdesk chat widget that knows its signed-in users, with Flask.

    pip install flask ./clients/python
    HELPDESK_KEY=svc_key_… HELP_SITE=https://support.example.com/site/acme flask --app app run

Allow its origin first: PATCH /v1/site with {"widgetOrigins": ["https://your-site.example.com"]}.
"""

import os
import secrets

from flask import Flask, redirect, render_template_string, session, url_for
from werkzeug.wrappers import Response

from helpdesk_webhooks.site import SiteUser, widget_token

KEY, SITE = os.environ["HELPDESK_KEY"], os.environ["HELP_SITE"]

# Your database. The keys are your own ids of your users.
USERS = {"42": {"name": "Ada Lovelace", "email": "ada@example.com"}}

app = Flask(__name__)
app.secret_key = os.environ.get("APP_SECRET") or secrets.token_hex()

PAGE = """<!doctype html>
<html lang="en">
<title>Fern Shop</title>
<h1>Fern Shop</h1>
<form method="post" action="/toggle"><button>{{ "Sign out" if name else "Sign in as Ada" }}</button></form>
<p><a href="#" id="ask">Ask us</a></p>
<script>
  (window.Helpdesk ||= []).push(["identify", {{ token | tojson }}]);
  document.getElementById("ask").addEventListener("click", () => Helpdesk.push(["open"]));
</script>
<script src="{{ site }}/widget.js" async></script>
</html>"""


@app.get("/")
def home() -> Response:
    """A page with the widget. A visitor who isn't signed in has no token, which signs the last one out."""
    user = USERS.get(session.get("user_id", ""))
    token = None
    if user is not None:
        who = SiteUser(id=session["user_id"], name=user["name"], email=user["email"], email_verified=True)
        token = widget_token(KEY, who)
    page = Response(render_template_string(PAGE, token=token, site=SITE, name=user and user["name"]))
    page.headers["content-type"] = "text/html; charset=utf-8"
    page.headers["cache-control"] = "no-store"  # a token lives for 60 seconds
    return page


@app.post("/toggle")
def toggle() -> Response:
    """Your app's own sign-in and sign-out. This one lets everybody in as its only user."""
    if session.pop("user_id", None) is None:
        session["user_id"] = "42"
    return redirect(url_for("home"))
