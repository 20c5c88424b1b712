"""An app whose users sign in to the Helpdesk help site with the account that they have here, with Flask.

    pip install flask ./clients/python
    HELPDESK_KEY=svc_key_… HELP_SITE=https://support.example.com/site/acme flask --app app run

Save its route as the help site's sign-in: PATCH /v1/site/sign-in with
{"method": "app", "appUrl": "https://your-app.example.com/help-sign-in"}.
"""

import os
import secrets

from flask import Flask, abort, redirect, request, session, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from helpdesk_webhooks.site import SiteUser, sign_in_address

KEY, SITE = os.environ["HELPDESK_KEY"], os.environ["HELP_SITE"]

# Your database. The keys are your own ids of your users.
USERS = {"42": {"name": "Ada Lovelace", "email": "ada@example.com"}}

app = Flask(__name__)
app.secret_key = os.environ.get("APP_SECRET") or secrets.token_hex()


@app.get("/help-sign-in")
def help_sign_in() -> Response:
    """The route to which the help site leads a visitor, with `redirect` and `state`."""
    user = USERS.get(session.get("user_id", ""))
    if user is None:
        # Your app's own sign-in, which comes back here with the same query.
        session["then"] = request.full_path
        return redirect(url_for("sign_in"))
    who = SiteUser(id=session["user_id"], name=user["name"], email=user["email"], email_verified=True)
    try:
        address = sign_in_address(
            KEY, SITE, request.args.get("redirect", ""), request.args.get("state", ""), who
        )
    except ValueError:
        abort(400)  # the link is not from the help site
    answer = redirect(address)
    answer.headers["cache-control"] = "no-store"
    return answer


@app.get("/sign-in")
def sign_in() -> Markup:
    """Your app's own sign-in. This one lets everybody in as its only user."""
    return Markup(
        '<!doctype html><title>App</title><form method="post"><button>Sign in as Ada</button></form>'
    )


@app.post("/sign-in")
def signed_in() -> Response:
    """Keep who is signed in, and go on to what they wanted."""
    session["user_id"] = "42"
    return redirect(session.pop("then", "/help-sign-in"))
