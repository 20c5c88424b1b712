"""The mail of a local stack (scripts/mailbox), in a process of its own, which ends with the emulator."""

import time
import urllib.request
from collections.abc import Mapping
from urllib.error import URLError

from scripts.local import build, people, processes
from scripts.local.deployment import Deployment
from scripts.local.emulator import Emulator
from scripts.local.processes import ProcessRecord
from scripts.local.progress import Problem
from scripts.local.settings import ACCOUNT, REGION, StackSettings, mail_ports

START_SECONDS = 20
STOP_SECONDS = 10


def described(settings: StackSettings, site_url: str) -> dict[str, str]:
    """Return where mail is read and written, and the console opened, for stack.json.

    Where no mail comes in, the console asks for a code. Otherwise a page beside the mails opens it. The organization
    with the help site has the address of mail.
    """
    domain = settings.template_parameters()["InboundMailDomain"]
    if not domain:
        return {"console_url": f"{settings.base_url}/console/"}
    slug = site_url.rstrip("/").rpartition("/")[2]
    return {
        "console_url": f"{settings.mail_url}console",
        "mail_url": settings.mail_url,
        "smtp_url": settings.smtp_url,
        "mail_address": f"{slug}@{domain}",
    }


class MailProcess:
    """The process, and its log."""

    def __init__(self, settings: StackSettings) -> None:
        self._settings = settings
        self._record_file = settings.folder / "mailbox.json"
        self.log = settings.folder / "mailbox.log"

    def start(self, deployed: Deployment, stack: Mapping[str, str]) -> None:
        """Start it again, if an address receives mail; `stack` is the content of stack.json. Errors: Problem."""
        self.stop()
        address = stack.get("mail_address")
        if address is None:
            return
        smtp, page = mail_ports(self._settings.port)
        emulator = Emulator(self._settings)
        words = ["-m", "scripts.mailbox", "--endpoint-url", self._settings.endpoint_url]
        words += ["--topic-arn", deployed.outputs["MailEventsTopicArn"]]
        words += ["--bucket", deployed.outputs["FilesBucketName"], "--organization", address]
        words += ["--domain", address.rpartition("@")[2], "--folder", str(emulator.mails)]
        words += ["--emulator", str(emulator.record_file)]
        words += ["--smtp-port", str(smtp), "--page-port", str(page)]
        words += ["--base-url", stack["base_url"], "--people", people.ids_in(stack)]
        table = {"TABLE_NAME": stack["table"], "AWS_ENDPOINT_URL": stack["endpoint_url"]}
        environment = build.tool_environment() | ACCOUNT | table | {"AWS_DEFAULT_REGION": REGION}
        processes.start(words, self.log, environment, self._record_file)
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Stop it, if it runs."""
        record = ProcessRecord.load(self._record_file)
        if record is not None and record.runs():
            record.stop(STOP_SECONDS)
        self._record_file.unlink(missing_ok=True)

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            record = ProcessRecord.load(self._record_file)
            if record is None or not record.runs() or time.monotonic() > deadline:
                self.stop()
                smtp, page = mail_ports(self._settings.port)
                raise Problem(
                    f"The stack's mail did not start on the ports {smtp} and {page}. If another program has one of "
                    f"them, choose another PORT. Its log: {self.log}"
                )
            time.sleep(0.1)

    def _answers(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self._settings.mail_url, timeout=2) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False
