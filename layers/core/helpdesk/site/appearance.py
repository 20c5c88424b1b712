"""The appearance of a help site, as its own routes read and change it (Specification: PATCH /site/appearance)."""

from copy import replace
from typing import Any

from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.digest import sha256_hex
from helpdesk.site import appearance_repository as repository
from helpdesk.site import custom_css
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.site.appearance_repository import Stylesheet
from helpdesk.site.appearance_schemas import AppearanceAnswer, AppearanceChange
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def get(organization: str) -> AppearanceAnswer:
    """Return how the organization's site looks, the defaults for what nobody has changed. One call."""
    return _answer(*repository.get(organization))


def change(caller: Caller, wanted: AppearanceChange) -> AppearanceAnswer:
    """Change what was sent, and return all. Without a change, nothing is written. Raises InvalidRequest.

    Calls: settings with the stylesheet, transaction.
    """
    sent = wanted.model_dump(by_alias=True, exclude_unset=True)
    sends_css, css = "css" in sent, sent.pop("css", None) or ""
    stylesheet = _stylesheet(css) if sends_css else None

    def attempt() -> AppearanceAnswer:
        seen, source = repository.get(caller.organization)
        # A field sent as null goes back to its default.
        after = AppearanceRecord.from_item(seen.to_item() | sent)
        text = source
        if sends_css:
            after = replace(after, css_hash=stylesheet.name if stylesheet else None)
            text = stylesheet.source if stylesheet else ""
        before = seen.to_item()
        changed = {name: value for name, value in after.to_item().items() if value != before.get(name)}
        if text != source:
            changed |= {"cssHash": after.css_hash}  # a comment may be all that differs
        if changed:
            _write(caller, seen, changed, stylesheet)
        return _answer(after, text)

    return repeat_when_stale(attempt, ConditionFailed)


def _stylesheet(css: str) -> Stylesheet | None:
    """Return a stylesheet that was sent; None for an empty one. Raises InvalidRequest."""
    if not css:
        return None
    served = custom_css.checked(css)
    return Stylesheet(css, served, sha256_hex(served)[:24])


def _write(
    caller: Caller, seen: AppearanceRecord, changed: dict[str, Any], stylesheet: Stylesheet | None
) -> None:
    names = ["css" if name == "cssHash" else name for name in changed]
    transaction = Transaction()
    repository.change(transaction, caller.organization, seen, changed, stylesheet)
    transaction.put(
        logs.entry(
            caller.organization,
            LogKind.SETTINGS_CHANGED,
            actor=caller.actor,
            summary=f"The help site's appearance was changed: {', '.join(names)}.",
            settings=[f"site.{name}" for name in names],
        )
    )
    transaction.commit()


def _answer(appearance: AppearanceRecord, css: str) -> AppearanceAnswer:
    return AppearanceAnswer.from_record(appearance, css=css)
