"""site: the help site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from helpdesk_cli.framework import Listing, Settings, limit_option
from helpdesk_cli.output import moment, say, say_facts, say_file, say_json, say_table
from helpdesk_cli.session import Session, pass_session

_NONE = "none"
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")


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


@site.command("set")
@click.option("--title", help="The site's name; none for the organization's name.")
@click.option("--intro", help="The line below the title on the home page; none for no line.")
@click.option("--logo", metavar="URL", help="The https address of an image beside the title, or none.")
@click.option(
    "--language",
    type=click.Choice([*_LANGUAGES, _NONE]),
    help="The language of the pages' own words; none for that of each visitor's browser.",
)
@click.option("--board/--no-board", default=None, help="Whether the feedback board is part of the site.")
@click.option("--contact/--no-contact", default=None, help="Whether visitors can write to your team.")
@click.option(
    "--link",
    "links",
    nargs=2,
    multiple=True,
    metavar="LABEL URL",
    help="A link in the footer. Repeat it for several: they replace those that are there.",
)
@click.option("--no-links", is_flag=True, help="Remove all links in the footer.")
@click.option(
    "--widget-origin",
    "widget_origins",
    multiple=True,
    metavar="ORIGIN",
    help="An origin whose pages can show the chat widget. Repeat it for several: they replace those that are there.",
)
@click.option("--no-widget", is_flag=True, help="Turn the chat widget off.")
@pass_session
def set_site(
    session: Session,
    title: str | None,
    intro: str | None,
    logo: str | None,
    language: str | None,
    links: tuple[tuple[str, str], ...],
    widget_origins: tuple[str, ...],
    *,
    board: bool | None,
    contact: bool | None,
    no_links: bool,
    no_widget: bool,
) -> None:
    """Change the help site's settings (only those that you name)."""
    texts = {"title": title, "intro": intro, "logoUrl": logo, "language": language}
    body: dict[str, Any] = {
        name: None if value == _NONE else value for name, value in texts.items() if value is not None
    }
    body |= {
        name: value for name, value in (("showBoard", board), ("showContact", contact)) if value is not None
    }
    if links and no_links:
        raise click.UsageError("Use --link or --no-links, not both.")
    if links or no_links:
        body["footerLinks"] = [{"label": label, "url": url} for label, url in links]
    if widget_origins and no_widget:
        raise click.UsageError("Use --widget-origin or --no-widget, not both.")
    if widget_origins or no_widget:
        body["widgetOrigins"] = list(widget_origins)
    if not body:
        raise click.UsageError(
            "Say what to change: --title, --intro, --logo, --language, --board, --contact, --link, --no-links, "
            "--widget-origin or --no-widget."
        )
    answer = session.api().patch("site", body=body)
    if session.as_json:
        say_json(answer)
    else:
        say("Saved.")
        _say_site(answer)


@site.command("articles")
@limit_option
@pass_session
def list_articles(session: Session, limit: int) -> None:
    """List published documents with reads and ratings, the most read first."""
    answer = session.api().listed("site", "articles", name="articles", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("READS", "HELPFUL", "NOT", "ANSWERED", "TITLE", "ID"),
        [
            (one["reads"], one["helpful"], one["unhelpful"], one["answered"], one["title"], one["documentId"])
            for one in answer["articles"]
        ],
        empty="No document is published. Publish one: helpdesk site publish ID",
    )


@site.command("searches")
@limit_option
@pass_session
def list_searches(session: Session, limit: int) -> None:
    """List the searches that found nothing that fits, the latest first."""
    answer = session.api().listed("site", "searches", name="searches", limit=limit)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("COUNT", "LAST", "SEARCHED FOR"),
        [(one["count"], moment(one["lastAt"]), one["query"]) for one in answer["searches"]],
        empty="Every search of the last 90 days found something that fits.",
    )


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
            ("logo", answer["logoUrl"] or "none"),
            ("language", answer["language"] or "the visitor's"),
            ("feedback board", "yes" if answer["showBoard"] else "no"),
            ("contact", "yes" if answer["showContact"] else "no"),
            *(("link", f"{one['label']}: {one['url']}") for one in answer["footerLinks"]),
            *(("widget on", origin) for origin in answer["widgetOrigins"]),
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
        say_file(answer["css"])
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
        body["accent"] = None if accent == _NONE else accent
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
