"""A receiver of Helpdesk's webhooks with Flask. Copy this file and write your own `handle`.

    pip install flask ./clients/python
    HELPDESK_KEY=svc_key_… flask --app flask_receiver run

It verifies each delivery, stores the event, responds at once, and handles the event afterwards, once for each ID.
An event whose handling fails is retried every minute. Stored events survive a crash.
"""

import json
import logging
import os
import sqlite3
import threading
import time
from contextlib import closing

from flask import Flask, Response, request

from helpdesk_webhooks import SIGNATURE_HEADER, Event, VerificationError, verify, webhook_secret

SECRET = webhook_secret(os.environ["HELPDESK_KEY"])
INBOX = os.environ.get("INBOX", "inbox.sqlite3")
TRY_AGAIN_AFTER = float(os.environ.get("TRY_AGAIN_AFTER", "60"))  # seconds; longer than `handle` ever takes

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("webhooks")
wake = threading.Event()


def handle(event: Event) -> None:
    """Your own code. It may be slow. What it raises is logged, and the event is retried."""
    if event["type"] == "message.created":
        message = event["data"]["message"]
        log.info("handled %s: %s wrote %r", event["id"], message["sender"], message["body"])
    else:
        log.info("handled %s: nothing to do for %s", event["id"], event["type"])


app = Flask(__name__)
# Bytes; a delivery is far smaller, and more returns 413.
app.config["MAX_CONTENT_LENGTH"] = 1_000_000


@app.post("/webhooks")
def receive() -> Response:
    """Receive one delivery. Return 204 when it is stored, and 400, after which Helpdesk retries, when it is invalid."""
    body = request.get_data()  # as received: request.get_json() would have lost the bytes that were signed
    try:
        event = verify(body, request.headers.get(SIGNATURE_HEADER), SECRET)
    except VerificationError as problem:
        log.warning("refused: %s", problem)
        return Response(str(problem), status=400, mimetype="text/plain")
    keep(event)  # if this fails, the response is 500 and Helpdesk sends the event again
    wake.set()
    return Response(status=204)


def keep(event: Event) -> None:
    """Store the event. An event that is stored already stays as it is: a delivery can come twice."""
    with closing(sqlite3.connect(INBOX)) as db, db:
        row = (event["id"], json.dumps(event))
        db.execute("INSERT INTO inbox (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING", row)


def take() -> "Event | None":
    """Return the oldest event that is due. No other thread or process gets it until it is due again."""
    now = time.time()
    with closing(sqlite3.connect(INBOX)) as db, db:
        row = db.execute(
            "UPDATE inbox SET due = ? WHERE id = "
            "(SELECT id FROM inbox WHERE done = 0 AND due <= ? ORDER BY rowid LIMIT 1) RETURNING body",
            (now + TRY_AGAIN_AFTER, now),
        ).fetchone()
    return json.loads(row[0]) if row else None


def finish(event_id: str) -> None:
    """Mark the event as handled. Rows older than a month can be deleted: no delivery comes that late."""
    with closing(sqlite3.connect(INBOX)) as db, db:
        db.execute("UPDATE inbox SET done = 1 WHERE id = ?", (event_id,))


def work() -> None:
    """Handle the events of the inbox: new ones at once, and failed or interrupted ones when they are due."""
    while True:
        event = None
        try:
            event = take()
            if event is None:
                wake.wait(TRY_AGAIN_AFTER)
                wake.clear()
                continue
            handle(event)
            finish(event["id"])
        except Exception:
            log.exception("failed, and tried again later: %s", event["id"] if event else "the inbox")
            wake.wait(1)


with closing(sqlite3.connect(INBOX)) as db, db:
    db.execute(
        "CREATE TABLE IF NOT EXISTS inbox "
        "(id TEXT PRIMARY KEY, body TEXT NOT NULL, due REAL NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0)"
    )
threading.Thread(target=work, daemon=True).start()
