"""`make dev MODEL=…`: a Bedrock model for the local stack, with the developer's own AWS credentials.

The functions of the stack run with keys that mean nothing, and reach this proxy on loopback. It signs their calls of
the chosen models with the developer's credentials and sends them to Amazon Bedrock. So the credentials stay in this
process, and everything except Bedrock stays emulated.
"""

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError
from botocore.httpsession import URLLib3Session
from botocore.session import Session

from scripts.local.progress import Problem, Progress
from scripts.local.settings import HOST, StackSettings

_CALL = re.compile(r"/model/([^/?]+)/(converse|invoke)")
_PASSED_ON = ("content-type", "x-amzn-errortype", "x-amzn-requestid")
_MAX_BODY = 25_000_000  # what Bedrock accepts
_TIMEOUT_SECONDS = 60


class Bedrock:
    """Amazon Bedrock in the developer's account and region. Errors: Problem, without credentials or a region."""

    def __init__(self) -> None:
        session = Session()
        # botocore itself reads AWS_DEFAULT_REGION alone; other tools of AWS read AWS_REGION first.
        region = os.environ.get("AWS_REGION") or session.get_config_variable("region")
        credentials = session.get_credentials()
        if credentials is None:
            raise Problem("MODEL needs AWS credentials of yours: set AWS_PROFILE, or run `aws sso login`.")
        if not region:
            raise Problem("MODEL needs the AWS region of the model: set AWS_REGION.")
        self._credentials, self.region = credentials, region
        self._endpoint: str = session.create_client("bedrock-runtime", region_name=region).meta.endpoint_url
        self._http = URLLib3Session(timeout=_TIMEOUT_SECONDS)

    def send(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Sign and send a call. Return status, headers and body. Errors: BotoCoreError."""
        request = AWSRequest("POST", self._endpoint + path, headers, body)
        SigV4Auth(self._credentials.get_frozen_credentials(), "bedrock", self.region).add_auth(request)
        response: Any = self._http.send(request.prepare())
        found = {name.lower(): value for name, value in response.headers.items()}
        return (
            response.status_code,
            {name: found[name] for name in _PASSED_ON if name in found},
            response.content,
        )


def models(settings: StackSettings) -> set[str]:
    """Return the models that the stack may call: the agent's, and those that its parameters name."""
    named = (settings.parameters.get(name, "") for name in ("ReviewModelId", "EmbeddingModelId"))
    return {settings.model, *named} - {""}


class _Proxy(ThreadingHTTPServer):
    """Passes calls of the allowed models on to Bedrock. Errors: OSError, when the port is taken."""

    def __init__(self, port: int, bedrock: Bedrock, allowed: set[str], progress: Progress) -> None:
        self.bedrock, self.allowed, self.progress = bedrock, allowed, progress
        self.host = f"{HOST}:{port}"
        super().__init__((HOST, port), _Call)


class _Call(BaseHTTPRequestHandler):
    server: _Proxy

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length", 0))
        call = _CALL.fullmatch(self.path)
        # A page in a browser can send neither this header nor, under a name of its own, this host.
        is_signed = self.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 ")
        if not is_signed or self.headers.get("host") != self.server.host or size > _MAX_BODY:
            self._refuse(403, "AccessDeniedException", "This is the proxy of a local stack.")
        elif call is None or unquote(call[1]) not in self.server.allowed:
            allowed = ", ".join(sorted(self.server.allowed))
            self._refuse(403, "AccessDeniedException", f"Only {allowed} can be called.")
        else:
            self._pass_on(self.rfile.read(size))

    def _pass_on(self, body: bytes) -> None:
        headers = {name: self.headers[name] for name in ("content-type", "accept") if name in self.headers}
        try:
            status, received, content = self.server.bedrock.send(self.path, body, headers)
        except BotoCoreError as error:
            self.server.progress.say(f"Bedrock was not reached: {error}")
            self._refuse(503, "ServiceUnavailableException", type(error).__name__)
            return
        if status != 200:
            self.server.progress.say(f"Bedrock answered {status} {received.get('x-amzn-errortype', '')}")
        self._answer(status, received, content)

    def _refuse(self, status: int, code: str, message: str) -> None:
        self.close_connection = True  # the body may not have been read
        headers = {"content-type": "application/json", "x-amzn-errortype": code}
        self._answer(status, headers, json.dumps({"message": message}).encode())

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing: conversations stay out of the terminal."""


@contextmanager
def proxy(settings: StackSettings, progress: Progress) -> Iterator[None]:
    """Pass the stack's calls of its models on to Bedrock for as long as the stack runs. Errors: Problem."""
    if not settings.model:
        yield
        return
    bedrock, allowed, port = Bedrock(), models(settings), settings.model_port
    try:
        server = _Proxy(port, bedrock, allowed, progress)
    except OSError:
        raise Problem(f"Port {port} is taken, which MODEL needs: choose another PORT.") from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    progress.say(f"Bedrock in {bedrock.region} answers for {', '.join(sorted(allowed))}, and costs money.")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
