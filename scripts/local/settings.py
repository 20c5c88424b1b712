"""Where a local stack lives, its port and its parameters."""

import platform
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scripts.local.progress import Problem

ROOT = Path(__file__).resolve().parents[2]
LOCAL = ROOT / ".local"
BUILDS = LOCAL / "build"
TEMPLATE = ROOT / "template.yaml"

DEFAULT_PORT = 4566  # where AWS emulators are usually looked for
HOST = "127.0.0.1"
REGION = "us-east-1"
STACK_NAME = "helpdesk-local"
# First part of the address: http://127.0.0.1:<port>/helpdesk/v1/...
BASE_PATH = "helpdesk"

# The sender of mail. No mail leaves the machine: the emulator keeps it.
MAIL_FROM = "helpdesk@example.com"
# The domain of mail to organizations, which is taken over SMTP. It is nobody's (RFC 6761).
INBOUND_MAIL_DOMAIN = "mail.localhost"
# The emulator checks no signature, but every AWS client needs a key to sign with.
ACCOUNT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


def architecture() -> str:
    """Return this machine's processor as Lambda names it: artifacts built here must run here."""
    return "arm64" if platform.machine().lower() in {"arm64", "aarch64"} else "x86_64"


def services_port(port: int) -> int:
    """Return where the functions of the stack on a port look for the services of integrations.

    Below the ports that the system gives to connections, which may have taken one by the time that it is needed, and
    never the stack's own.
    """
    if port < 12_000:
        return port + 20_000
    return port - 9_433 if port < 32_768 else 20_000 + port % 10_000


_LOWEST, _HIGHEST = 1_024, 32_767


def mail_ports(port: int) -> tuple[int, int]:
    """Return where the stack on a port takes mail over SMTP, and where its page of mails is.

    In the range of the ports of services, as far from those for each stack.
    """
    size = _HIGHEST - _LOWEST + 1
    smtp, page = (_LOWEST + (services_port(port) - _LOWEST + away) % size for away in (1_459, 3_459))
    return smtp, page


@dataclass(frozen=True, slots=True)
class StackSettings:
    """One local stack. Stacks with different ports and folders run side by side."""

    port: int = DEFAULT_PORT
    parameters: Mapping[str, str] = field(default_factory=dict)
    folder: Path = LOCAL / str(DEFAULT_PORT)
    auth: bool = False  # make the emulator enforce the roles' policies
    model: str = ""  # the Bedrock model that the agent uses, in the developer's own account
    guides: tuple[str, ...] = ("*.md",)  # the guides that are loaded as knowledge
    services: bool = False  # stand-ins of the services of integrations run beside it

    @property
    def endpoint_url(self) -> str:
        """Return the emulator's address, for every AWS client."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """Return the address that /v1/... follows."""
        return f"{self.endpoint_url}/{BASE_PATH}"

    @property
    def live_url(self) -> str:
        """Return where live connections are opened. The ID of that API is pinned in template/live.yaml."""
        return f"ws://{HOST}:{self.port}/_aws/execute-api/live/local"

    @property
    def model_port(self) -> int:
        """Return the port of the proxy to Bedrock. It is the same at each start, so that nothing is deployed again."""
        return self.port + 10_000 if self.port < 55_000 else self.port - 10_000

    @property
    def services_port(self) -> int:
        """Return the port of the stand-ins of services."""
        return services_port(self.port)

    @property
    def services_url(self) -> str:
        """Return the address of the stand-ins of services, and of the page on which one acts as one of them."""
        return f"http://{HOST}:{self.services_port}"

    @property
    def smtp_url(self) -> str:
        """Return where mail is taken over SMTP."""
        return f"smtp://{HOST}:{mail_ports(self.port)[0]}"

    @property
    def mail_url(self) -> str:
        """Return the address of the page of mails."""
        return f"http://{HOST}:{mail_ports(self.port)[1]}/"

    @property
    def stack_files(self) -> list[Path]:
        """Return the files that describe the stack: one in its folder and, unless tests made it, one for tools.

        So .local/stack.json describes the stack that make started last.
        """
        files = [self.folder / "stack.json"]
        if self.folder == LOCAL / str(self.port):
            files.append(LOCAL / "stack.json")
        return files

    def template_parameters(self) -> dict[str, str]:
        """Return the template's parameters for this stack: the local ones, overridden by those given."""
        return {
            "Stage": "local",
            "Architecture": architecture(),
            "AllowLoopbackUrls": "true",
            "BaseUrl": self.base_url,
            "LiveUrl": self.live_url,
            "MailFrom": MAIL_FROM,
            "InboundMailDomain": INBOUND_MAIL_DOMAIN if self.parameters.get("MailFrom", MAIL_FROM) else "",
            "SignUp": "open",
            **self._model_parameters(),
            **({"ServicesUrl": self.services_url} if self.services else {}),
            **self.parameters,
        }

    def _model_parameters(self) -> dict[str, str]:
        if not self.model:
            return {}
        return {"AgentModelId": self.model, "BedrockEndpointUrl": f"http://{HOST}:{self.model_port}"}


def settings_for(
    port: int,
    parameters: str = "",
    *,
    folder: Path | None = None,
    auth: bool = False,
    model: str = "",
    guides: tuple[str, ...] = ("*.md",),
    services: str = "",
) -> StackSettings:
    """Return the settings for make's PORT, MODEL, SERVICES, PARAMETERS (`Name=value Name=value`). Errors: Problem."""
    if not 1024 <= port <= 65535:
        raise Problem(f"PORT={port} is not a port from 1024 to 65535.")
    if not re.fullmatch(r"[a-zA-Z0-9.:-]*", model):
        raise Problem(f"MODEL={model} is not the id of a Bedrock model or inference profile.")
    if services not in {"", "fake"}:
        raise Problem(f"SERVICES={services} is none that there is; write SERVICES=fake.")
    return StackSettings(
        port=port,
        parameters=_parameters(parameters),
        folder=folder or LOCAL / str(port),
        auth=auth,
        model=model,
        guides=guides,
        services=bool(services),
    )


def _parameters(text: str) -> dict[str, str]:
    known = _template_parameters()
    parameters: dict[str, str] = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals:
            raise Problem(f"PARAMETERS has {word!r}; write Name=value, separated by spaces.")
        if name not in known:
            raise Problem(f"PARAMETERS names {name!r}; the template has {', '.join(sorted(known))}.")
        if name in {"Stage", "Architecture"}:
            raise Problem(f"PARAMETERS may not set {name}: the local stack's is fixed.")
        parameters[name] = value
    return parameters


def read_template() -> dict[str, Any]:
    """Return template.yaml. A CloudFormation tag (!Ref, !Sub) becomes the text behind it, or None."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    yaml.add_multi_constructor(
        "!", lambda _, __, node: node.value if isinstance(node.value, str) else None, Loader=loader
    )
    text = TEMPLATE.read_text(encoding="utf-8")
    template: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - a SafeLoader, extended
    return template


def _template_parameters() -> set[str]:
    return set(read_template()["Parameters"])
