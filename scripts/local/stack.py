"""Start and stop a local stack."""

import contextlib
import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

from scripts.local import bedrock, deployment, seed
from scripts.local.emulator import Emulator
from scripts.local.mailing import MailProcess
from scripts.local.operating import Operator
from scripts.local.people import PEOPLE
from scripts.local.progress import Problem, Progress
from scripts.local.services import StandIns
from scripts.local.settings import ROOT, StackSettings


def up(settings: StackSettings, progress: Progress) -> dict[str, str]:
    """Start or update the stack and leave it running. Return the content of stack.json. Errors: Problem."""
    with _alone(settings):
        return _bring_up(settings, progress)


def dev(settings: StackSettings, progress: Progress) -> None:
    """Start the stack and keep it until Ctrl-C (or SIGTERM), then stop all of it. Errors: Problem."""
    ended = threading.Event()

    def end(signum: int, _frame: FrameType | None) -> None:
        ended.set()
        # This interrupts the current step. The next start continues from what it left.
        raise KeyboardInterrupt(signum)

    previous = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    emulator = Emulator(settings)
    with _alone(settings):
        try:
            with bedrock.proxy(settings, progress):
                welcome(settings, _bring_up(settings, progress))
                print("\nCtrl-C stops it; its data is kept for the next start.", flush=True)
                while emulator.runs():
                    time.sleep(0.5)
                raise Problem(f"The emulator ended unexpectedly; its log says why: {emulator.log}")
        except KeyboardInterrupt:
            print(flush=True)
        finally:
            for number in previous:
                signal.signal(number, signal.SIG_IGN)
            if emulator.runs():
                progress.say("Stopping the emulator, which saves its state first.")
                emulator.stop()
                StandIns(settings).stop()
                MailProcess(settings).stop()
                progress.say("Stopped.")
            for number, handler in previous.items():
                signal.signal(number, handler)


def down(settings: StackSettings, progress: Progress) -> None:
    """Stop the stack that `up` started; its data is kept. Errors: Problem, when `make dev` runs it."""
    if not settings.folder.exists():
        progress.say(f"No stack was started on port {settings.port}.")
        return
    with _alone(settings):
        StandIns(settings).stop()
        MailProcess(settings).stop()
        if Emulator(settings).stop():
            progress.say("Stopped; its data is kept for the next start.")
        else:
            progress.say(f"Nothing of this project runs on port {settings.port}.")


def welcome(settings: StackSettings, stack: dict[str, str]) -> None:
    """Print where the stack is and what to try."""
    base, key = stack["base_url"], stack["secret_key"]
    stack_file = settings.stack_files[-1]
    call = f"curl -s {base}/v1"
    bearer = f"-H 'authorization: Bearer {key}'"
    mail = signed_in = ""
    if "mail_address" in stack:
        signed_in = f"  (signs you in as {PEOPLE['owner_token'][1]})"
        mail = f"""  mail        {stack["mail_url"]}  (what was sent; write and answer as a customer)
  SMTP        {stack["smtp_url"]}  (write to {stack["mail_address"]})
"""
    print(
        f"""
Ready.

  base URL    {base}
  secret key  {key}
  console     {stack["console_url"]}{signed_in}
  help site   {stack["site_url"]}
{mail}  these, and more, in {os.path.relpath(stack_file, ROOT)}

Write as a visitor, then see the agent's answer a moment later:

  {call}/messages {bearer} -d '{{"session": "visitor-0001", "body": "How are webhooks signed?"}}'
  curl -s '{base}/v1/messages?session=visitor-0001' {bearer}

Receive webhooks in a second terminal (the receiver registers itself):

  make receiver

Or register your own server:

  {call}/webhooks {bearer} -d '{{"url": "http://127.0.0.1:8787/webhooks", "events": ["message.created"]}}'""",
        flush=True,
    )
    if settings.services:
        mails = stack.get("mail_url", stack["mail_json_url"])
        print(
            f"""
Connect GitHub, Slack, Discord or Linear from this page, as {PEOPLE["owner_token"][2]} with the code from
{mails}. Then act there as the service: push a commit, answer in a thread, type /ask, press a button.

  {settings.services_url}/""",
            flush=True,
        )


def _bring_up(settings: StackSettings, progress: Progress) -> dict[str, str]:
    emulator = Emulator(settings)
    with Operator(settings) as operator:
        deployed = _deployed(settings, emulator, progress)
        described = seed.seed(settings, operator, deployed, progress)
        StandIns(settings).start(operator, progress)
        MailProcess(settings).start(deployed, described)
    return described


def _deployed(settings: StackSettings, emulator: Emulator, progress: Progress) -> deployment.Deployment:
    emulator.begin(progress)
    try:
        return deployment.deploy(
            settings, emulator.deployment_record, progress, when_built=emulator.wait_until_it_answers
        )
    except deployment.HalfFinishedError as half:
        progress.say(f"An earlier start was interrupted (the stack is {half}); starting from nothing.")
        emulator.stop()
        emulator.forget()
        emulator.start(progress)
        return deployment.deploy(settings, emulator.deployment_record, progress)


@contextlib.contextmanager
def _alone(settings: StackSettings) -> Iterator[None]:
    """Hold the stack's lock, which the system releases when this process ends."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    with (settings.folder / "lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = _holder(lock.read())
            raise Problem(f"Another make is using the stack on port {settings.port}{holder}.") from None
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid()}))
        lock.flush()
        yield


def _holder(text: str) -> str:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return f" (process {json.loads(text)['pid']}): let it end, or press Ctrl-C there"
    return ""
