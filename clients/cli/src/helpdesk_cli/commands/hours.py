"""hours and targets: the office hours, and how long a visitor may wait for the team."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.framework import Settings
from helpdesk_cli.output import say, say_facts, say_json
from helpdesk_cli.session import Session, pass_session

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class DayTimes(click.ParamType):
    """The times of a day: monday=09:00-12:30,13:30-17:00, or monday=closed."""

    name = "DAY=TIMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the day and its times as the API takes them. The API checks the times."""
        day, equals, text = str(value).partition("=")
        if not equals or day.lower() not in _DAYS:
            self.fail(
                f"{value!r} is not a day with times, such as monday=09:00-12:30,13:30-17:00", param, ctx
            )
        times = [] if text == "closed" else [each.partition("-") for each in text.split(",")]
        return day.lower(), [{"from": start.strip(), "to": end.strip()} for start, _, end in times]


class Minutes(click.ParamType):
    """A number of minutes, or none."""

    name = "MINUTES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number in a tuple, or None for `none`: a missing option has no tuple."""
        if value == "none":
            return (None,)
        if not str(value).isascii() or not str(value).isdigit():
            self.fail(f"{value!r} is not a number of minutes, or none", param, ctx)
        return (int(value),)


@click.group(cls=Settings)
def hours() -> None:
    """The office hours, in which response targets count."""


@hours.command("show")
@pass_session
def show_hours(session: Session) -> None:
    """Show the office hours."""
    _say_hours(session, session.api().get("organization", "hours"))


@hours.command("set")
@click.option("--time-zone", metavar="ZONE", help="The time zone, such as Europe/Berlin.")
@click.option(
    "--day",
    "days",
    type=DayTimes(),
    multiple=True,
    help="The times of a day, such as monday=09:00-12:30,13:30-17:00 or sunday=closed. Repeat it for more.",
)
@click.option("--close", metavar="DATE", multiple=True, help="Close on this date, such as 2026-12-25.")
@click.option("--no-close", metavar="DATE", multiple=True, help="Do not close on this date any more.")
@pass_session
def set_hours(
    session: Session,
    *,
    time_zone: str | None,
    days: tuple[tuple[str, Any], ...],
    close: tuple[str, ...],
    no_close: tuple[str, ...],
) -> None:
    """Change the office hours. What you leave out stays as it is."""
    api = session.api()
    body: dict[str, Any] = {} if time_zone is None else {"timeZone": time_zone}
    if days:
        body["days"] = dict(days)
    if close or no_close:
        closed = api.get("organization", "hours")["closed"]
        body["closed"] = sorted({*closed, *close} - set(no_close))
    if not body:
        raise click.UsageError("Pass --time-zone, --day, --close or --no-close.")
    _say_hours(session, api.patch("organization", "hours", body=body))


@click.group(cls=Settings)
def targets() -> None:
    """The response targets: how long a visitor may wait for the team."""


@targets.command("show")
@pass_session
def show_targets(session: Session) -> None:
    """Show the response targets."""
    _say_targets(session, session.api().get("organization", "targets"))


@targets.command("set")
@click.option("--first-response", type=Minutes(), help="For the first response; none for no target.")
@click.option("--next-response", type=Minutes(), help="For each further response; none for no target.")
@pass_session
def set_targets(
    session: Session, *, first_response: tuple[int | None] | None, next_response: tuple[int | None] | None
) -> None:
    """Change the response targets, in minutes of office hours."""
    sent = {"firstResponseMinutes": first_response, "nextResponseMinutes": next_response}
    body = {name: value[0] for name, value in sent.items() if value is not None}
    if not body:
        raise click.UsageError("Pass --first-response or --next-response.")
    _say_targets(session, session.api().patch("organization", "targets", body=body))


def _say_hours(session: Session, answer: dict[str, Any]) -> None:
    if session.as_json:
        say_json(answer)
        return
    days = answer["days"]
    say_facts(
        [
            ("Time zone", answer["timeZone"]),
            *(
                (day.capitalize(), ", ".join(f"{one['from']}-{one['to']}" for one in days[day]) or "closed")
                for day in _DAYS
            ),
            ("Closed", ", ".join(answer["closed"]) or None),
        ]
    )


def _say_targets(session: Session, answer: dict[str, Any]) -> None:
    if session.as_json:
        say_json(answer)
        return
    for name, minutes in (
        ("First response", answer["firstResponseMinutes"]),
        ("Next response", answer["nextResponseMinutes"]),
    ):
        say(f"{name}: {'no target' if minutes is None else f'{minutes} minutes'}")
