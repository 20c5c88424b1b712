"""The operator's commands about apps at services: print a manifest, register the GitHub App, store credentials."""

import argparse
import getpass
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations.credentials import UnknownCredential
from helpdesk.integrations.record import APPS
from scripts.app_manifests import MANIFESTS
from scripts.app_registration import Registration
from scripts.operator_errors import OperatorError

REGISTRATION_PORT = 8_421


def add_commands(commands: Any) -> None:
    """Add the commands to the operator's."""
    app = commands.add_parser(
        "set-app", help="store the credentials of your app at a service that organizations connect"
    )
    app.add_argument("app", metavar="APP", choices=[each.value for each in App], help=", ".join(APPS))
    app.add_argument(
        "values",
        metavar="NAME=VALUE",
        nargs="*",
        help="the app's credentials (the guide to integrations lists them); of private_key the path of its file. "
        "What is missing is asked for, and not shown",
    )
    app.add_argument(
        "--at-once",
        action="store_true",
        help="accept nothing more that is signed with the secret before, which counts for a day otherwise",
    )
    app.set_defaults(run=_set_app)

    manifest = commands.add_parser(
        "app-manifest",
        help="print the manifest of an app, with what it may do and the addresses of the stack",
    )
    manifest.add_argument(
        "app", metavar="APP", choices=[each.value for each in MANIFESTS], help=", ".join(MANIFESTS)
    )
    _add_name(manifest)
    manifest.set_defaults(run=_print_manifest)

    register = commands.add_parser(
        "register-github-app", help="register the GitHub App in your browser, and store its credentials"
    )
    register.add_argument(
        "--owner", metavar="ORGANIZATION", help="the organization of GitHub that owns it (default: you)"
    )
    register.add_argument(
        "--private", action="store_true", help="let it be installed on the owner's account alone"
    )
    register.add_argument(
        "--port",
        type=int,
        default=REGISTRATION_PORT,
        help="of the page on this machine (default %(default)s)",
    )
    _add_name(register)
    register.set_defaults(run=_register)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name", default="Helpdesk", help="the app's name at the service (default %(default)s)"
    )


def _set_app(options: argparse.Namespace) -> dict[str, Any]:
    given = [text.partition("=") for text in options.values]
    values = {name: value for name, _, value in given}
    # What is on a command line is in the shell's history, and every user of the machine sees it meanwhile.
    missing = [name for name in APPS[App(options.app)].credentials if name not in values]
    if sys.stdin.isatty():
        values |= {name: getpass.getpass(f"{name}: ") for name in missing}
    if "private_key" in values:
        try:
            values["private_key"] = Path(values["private_key"]).read_text(encoding="utf-8")
        except OSError as error:
            raise OperatorError(f"Cannot read the file of private_key ({error.strerror}).") from None
    return _store(App(options.app), values, at_once=options.at_once)


def _store(app: App, values: dict[str, str], *, at_once: bool = False) -> dict[str, Any]:
    try:
        credentials.store(app, values, at_once=at_once)
    except UnknownCredential as wrong:
        raise OperatorError(f"{wrong}. Give each as name=value.") from None
    return {"app": app.value, "stored": sorted(values)}


def _print_manifest(options: argparse.Namespace) -> dict[str, Any]:
    return MANIFESTS[App(options.app)](_base_url(), options.name)


def _register(options: argparse.Namespace) -> dict[str, Any]:
    base_url = _base_url()
    if urlsplit(base_url).scheme != "https":
        raise OperatorError(
            "GitHub sends events to a public https address. Register the App for a deployed stack."
        )
    manifest = {**MANIFESTS[App.GITHUB](base_url, options.name), "public": not options.private}
    page = Registration(manifest, options.owner, options.port)
    print(f"Open {page.url}/ in a browser on this machine, within an hour.", file=sys.stderr, flush=True)
    found = page.credentials()
    page_of_app = f"https://github.com/apps/{found['slug']}"
    return {**_store(App.GITHUB, found), "slug": found["slug"], "page": page_of_app}


def _base_url() -> str:
    """Return the public address of the stack, which `/v1/...` follows."""
    return os.environ["BASE_URL"]
