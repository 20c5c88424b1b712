"""Lists as CSV (RFC 4180), for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from helpdesk.api.http.content import ClientInfo, Content

# Where a spreadsheet would see a formula, also in the wide forms: at the start of a cell, and after a semicolon or in
# another line, because a spreadsheet whose settings separate cells by semicolons begins a new one there.
_FORMULA = re.compile(r'^(?=[\t\r\n])|(?:^|(?<=[;\t\r\n]))(?=[\s"]*[=+\-@＝＋－＠])')
_REFUSED = re.compile(r"q\s*=\s*0(\.0*)?")


class CsvText(Content):
    """A table: a line of names, and a line for each entry of a list."""

    media_type = "text/csv; charset=utf-8; header=present"


def wants_csv(client: ClientInfo) -> bool:
    """Return whether a client accepts CSV by name. `*/*` doesn't count."""
    for each in client.headers.get("accept", "").lower().split(","):
        media_type, *parameters = (part.strip() for part in each.split(";"))
        if media_type == "text/csv" and not any(map(_REFUSED.fullmatch, parameters)):
            return True
    return False


def csv_text(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[str | None]], next_page: str | None
) -> CsvText:
    """Return a table that a browser saves under a name. The address of the next page is in the header Link.

    What a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_defused(cell or "") for cell in row] for row in rows)
    headers = {"content-disposition": f'attachment; filename="{name}.csv"', "vary": "accept"}
    link = {} if next_page is None else {"link": f'<{next_page}>; rel="next"'}
    return CsvText(text.getvalue(), headers | link)


def page_url(list_url: str, parameters: dict[str, str | int | None]) -> str:
    """Return the address of a page of a list, with the parameters that are not None."""
    return f"{list_url}?{urlencode({name: value for name, value in parameters.items() if value is not None})}"


def _defused(cell: str) -> str:
    return _FORMULA.sub("'", cell)
