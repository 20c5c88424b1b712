"""Runs the mail of a local stack: `python -m scripts.mailbox --help`. `make up` and `make dev` start it."""

import argparse
import signal
import threading
from pathlib import Path

import boto3

from scripts.local.processes import ProcessRecord
from scripts.local.settings import ACCOUNT, HOST, REGION
from scripts.mailbox import page, smtp
from scripts.mailbox.console import SignIn
from scripts.mailbox.ses import Place, Ses

_LOOKS_SECONDS = 0.5


def main() -> None:
    """Listen until SIGTERM or Ctrl-C, or until the emulator has ended."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mailbox", description="Mail of a local stack.")
    parser.add_argument("--endpoint-url", required=True, help="where the emulated AWS is")
    parser.add_argument("--topic-arn", required=True, help="the topic that SES publishes to")
    parser.add_argument("--bucket", required=True, help="where SES writes mail that came in")
    parser.add_argument("--domain", required=True, help="the domain whose mail comes in")
    parser.add_argument("--organization", required=True, help="the demo organization's address")
    parser.add_argument("--folder", required=True, type=Path, help="where the mails are kept")
    parser.add_argument("--emulator", required=True, type=Path, help="the record of the emulator's process")
    parser.add_argument("--base-url", required=True, help="the stack's base URL, whose console is opened")
    parser.add_argument("--people", required=True, help="who opens it: role=id,role=id")
    parser.add_argument("--smtp-port", required=True, type=int)
    parser.add_argument("--page-port", required=True, type=int)
    given = parser.parse_args()
    session = boto3.Session(
        region_name=REGION,
        aws_access_key_id=ACCOUNT["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=ACCOUNT["AWS_SECRET_ACCESS_KEY"],
    )
    s3, sns = (session.client(name, endpoint_url=given.endpoint_url) for name in ("s3", "sns"))
    ses = Ses(Place(given.topic_arn, given.bucket, given.domain), s3, sns)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    listener = smtp.listener(HOST, given.smtp_port, ses, given.folder)
    listener.start()
    console = SignIn(given.base_url, dict(each.split("=", 1) for each in given.people.split(",")))
    mailbox = page.Mailbox(ses, given.folder, (HOST, given.smtp_port), given.organization, console)
    server = page.server(HOST, given.page_port, mailbox)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    while not ended.wait(_LOOKS_SECONDS):
        emulator = ProcessRecord.load(given.emulator)
        if emulator is None or not emulator.runs():
            break
    server.shutdown()
    listener.stop()


if __name__ == "__main__":
    main()
