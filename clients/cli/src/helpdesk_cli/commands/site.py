"""site: the help site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from helpdesk_cli.framework import Listing, Settings
from helpdesk_cli.output import say, say_facts, say_json
from helpdesk_cli.session import Session, pass_session

_NO_ACCENT = "none"


@click.group(cls=Listing)
def site() -> None:
    """The help site."""


@site.command("show")
@pass_session
def show_site(session: Session) -> None:
    """Show the help site's address and settings."""
    answer = session.api().get("site")
    if session.as_json:
        say_json(answer)
    else:
        _say_site(answer)


@site.command("enable")
@click.option("--off", is_flag=True, help="Take the site off the net; its settings stay.")
@click.option("--title", help="The site's name.")
@click.option("--intro", help="The line below the title on the home page.")
@pass_session
def enable_site(session: Session, title: str | None, intro: str | None, *, off: bool) -> None:
    """Open the help site, and set its title and intro."""
    body: dict[str, Any] = {"enabled": not off}
    body |= {name: value for name, value in (("title", title), ("intro", intro)) if value is not None}
    answer = session.api().patch("site", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say("The help site is off." if off else "The help site is open.")
        _say_site(answer)


@site.command("publish")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--off", is_flag=True, help="Make them internal again.")
@pass_session
def publish(session: Session, ids: tuple[str, ...], *, off: bool) -> None:
    """Publish documents, or folders with all that is in them, by their IDs."""
    for each in ids:
        kind = "folders" if each.startswith("fold_") else "documents"
        session.api().patch("knowledge", kind, each, body={"published": not off})
    if session.as_json:
        say_json({"ok": True, "ids": list(ids), "published": not off})
    else:
        say(f"{len(ids)} {'made internal' if off else 'published'}.")


@site.command("branding")
@click.argument("shown", type=click.Choice(["show", "hide"]))
@pass_session
def branding(session: Session, shown: str) -> None:
    """Show or hide the attribution mark on the help site and the widget."""
    answer = session.api().post("billing", "branding", body={"showBranding": shown == "show"})
    if session.as_json:
        say_json(answer)
    else:
        say("The attribution mark is shown." if shown == "show" else "The attribution mark is hidden.")


def _say_site(answer: dict[str, Any]) -> None:
    say_facts(
        [
            ("address", answer["url"]),
            ("open", "yes" if answer["enabled"] else "no"),
            ("title", answer["title"] or "the organization's name"),
            ("intro", answer["intro"] or "none"),
            ("language", answer["language"] or "the visitor's"),
            ("feedback board", "yes" if answer["showBoard"] else "no"),
            ("contact", "yes" if answer["showContact"] else "no"),
        ]
    )


@site.group(cls=Settings)
def appearance() -> None:
    """How the help site looks."""


@appearance.command("show")
@click.option("--css", "css_only", is_flag=True, help="Print only the stylesheet, to save it in a file.")
@pass_session
def show_appearance(session: Session, *, css_only: bool) -> None:
    """Show how the help site looks."""
    answer = session.api().get("site", "appearance")
    if css_only:
        click.echo(answer["css"], nl=False)
    elif session.as_json:
        say_json(answer)
    else:
        _say(answer)


@appearance.command("set")
@click.option("--scheme", type=click.Choice(["system", "light", "dark"]), help="Colors of the pages.")
@click.option("--navigation", type=click.Choice(["top", "sidebar", "topics"]), help="Where the topics are.")
@click.option("--accent", metavar="COLOR", help="#0a7c66 or #0a6; none for the theme's own.")
@click.option(
    "--css-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own stylesheet; it replaces the whole earlier one.",
)
@click.option("--no-css", is_flag=True, help="Remove your own stylesheet.")
@pass_session
def set_appearance(
    session: Session,
    scheme: str | None,
    navigation: str | None,
    accent: str | None,
    css_file: Path | None,
    *,
    no_css: bool,
) -> None:
    """Change how the help site looks."""
    body: dict[str, Any] = {
        name: value for name, value in (("scheme", scheme), ("navigation", navigation)) if value is not None
    }
    if accent is not None:
        body["accent"] = None if accent == _NO_ACCENT else accent
    if css_file is not None and no_css:
        raise click.UsageError("Use --css-file or --no-css, not both.")
    if css_file is not None:
        try:
            body["css"] = css_file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise click.BadParameter(f"{css_file} is not text in UTF-8.", param_hint="--css-file") from None
    elif no_css:
        body["css"] = ""
    if not body:
        raise click.UsageError(
            "Say what to change: --scheme, --navigation, --accent, --css-file or --no-css."
        )
    answer = session.api().patch("site", "appearance", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say("Saved.")
        _say(answer)


def _say(answer: dict[str, Any]) -> None:
    css = answer["css"]
    say_facts(
        [
            ("theme", answer["theme"]),
            ("scheme", answer["scheme"]),
            ("navigation", answer["navigation"]),
            ("accent", answer["accent"] or "the theme's own"),
            ("stylesheet", f"{len(css):,} characters" if css else "none"),
        ]
    )
