"""The OpenAPI document as one HTML page that loads nothing and runs no script."""

import html
import json
import re
from pathlib import Path
from typing import Any

_STYLE = Path(__file__).with_name("page.css")
_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


def render_page(document: dict[str, Any]) -> str:
    """Return the document as HTML. Each operation and event has its operationId as its anchor."""
    return _Page(document).render()


class _Page:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.operations = [
            (method, path, operation)
            for path, path_item in document["paths"].items()
            for method, operation in path_item.items()
        ]
        self.events = [(kind, path_item["post"]) for kind, path_item in document["webhooks"].items()]

    def render(self) -> str:
        info = self.document["info"]
        style = " ".join(_STYLE.read_text(encoding="utf-8").split())
        groups = "".join(self._group(tag) for tag in self.document["tags"])
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{_text(info['title'])}</title>\n<style>{style}</style>\n</head>\n<body>\n"
            f'<a class="skip" href="#content">Skip to the content</a>\n{self._contents()}'
            f'<main id="content">\n<h1>{_text(info["title"])}</h1>\n<p class="lead">{_text(info["summary"])}</p>\n'
            f"{_paragraphs(info['description'])}{self._addresses()}{groups}{self._codes()}"
            f"<footer><p>{_text(info['license']['name'])}. OpenAPI 3.1: "
            '<a href="openapi.json">openapi.json</a></p></footer>\n</main>\n</body>\n</html>\n'
        )

    def _contents(self) -> str:
        parts = []
        for tag in self.document["tags"]:
            entries = [
                f'<li><a href="#{operation["operationId"]}">{_text(operation["summary"])}</a></li>'
                for _, _, operation in self.operations
                if tag["name"] in operation["tags"]
            ]
            entries += [
                f'<li><a href="#{operation["operationId"]}"><code>{_text(kind)}</code></a></li>'
                for kind, operation in self.events
                if tag["name"] in operation["tags"]
            ]
            parts.append(f'<p class="group">{_text(tag["name"])}</p>\n<ul>{"".join(entries)}</ul>\n')
        # Folded on a phone, beside the text where there is room; a style sheet alone cannot unfold.
        links = (
            f'{"".join(parts)}<ul><li><a href="#codes">All error codes</a></li>'
            '<li><a href="openapi.json">openapi.json</a></li></ul>'
        )
        return (
            f'<nav class="narrow" aria-label="Contents"><details><summary>Contents</summary>{links}</details></nav>\n'
            f'<nav class="wide" aria-label="Contents">{links}</nav>\n'
        )

    def _addresses(self) -> str:
        rows = "".join(
            f"<dt><code>{_text(server['url'])}</code></dt><dd>{_text(server['description'])}</dd>"
            for server in self.document["servers"]
        )
        return f'<h4>Base URL</h4>\n<dl class="fields">{rows}</dl>\n'

    def _group(self, tag: dict[str, Any]) -> str:
        shown = "".join(
            self._operation(method, path, operation)
            for method, path, operation in self.operations
            if tag["name"] in operation["tags"]
        )
        shown += "".join(
            self._event(kind, operation)
            for kind, operation in self.events
            if tag["name"] in operation["tags"]
        )
        return (
            f"<section>\n<h2>{_text(tag['name'])}</h2>\n{_paragraphs(tag['description'])}{shown}</section>\n"
        )

    def _operation(self, method: str, path: str, operation: dict[str, Any]) -> str:
        name = operation["operationId"]
        description = operation["description"].removeprefix(f"{operation['summary']}.\n\n")
        left = self._parameters("Parameters", operation)
        left += self._body("Body", operation.get("requestBody"), sent=True)
        answers = {status: answer for status, answer in operation["responses"].items() if int(status) < 400}
        for status, answer in answers.items():
            left += self._body(f"Answer {status}", answer)
        right = _curl(method, path, operation) + _shown("Answer", next(iter(answers.values())))
        return (
            f'<article class="operation" id="{name}" aria-labelledby="{name}-title">\n'
            f'<h3 id="{name}-title">{_text(operation["summary"])}</h3>\n'
            f'<p class="call"><span class="method {method}">{method.upper()}</span><code>{_text(path)}</code></p>\n'
            f'{_paragraphs(description)}<div class="sides"><div>{left}</div><div>{right}</div></div>\n'
            f"{self._errors(operation)}</article>\n"
        )

    def _event(self, kind: str, operation: dict[str, Any]) -> str:
        name = operation["operationId"]
        left = self._parameters("Headers", operation) + self._body("Body", operation["requestBody"])
        own, _, delivery = operation["description"].partition("\n\nSent as ")
        return (
            f'<article class="operation" id="{name}" aria-labelledby="{name}-title">\n'
            f'<h3 id="{name}-title"><span class="event">{_text(kind)}</span></h3>\n{_paragraphs(own)}'
            f'<div class="sides"><div>{left}</div><div>{_shown("Body", operation["requestBody"])}</div></div>\n'
            f"<details><summary>Delivery and signature</summary>{_paragraphs('Sent as ' + delivery)}</details>\n"
            "</article>\n"
        )

    def _parameters(self, title: str, operation: dict[str, Any]) -> str:
        rows = "".join(
            _row(parameter["name"], self._flat(parameter["schema"]), parameter, place=f"in {parameter['in']}")
            for parameter in operation.get("parameters", [])
        )
        return f'<h4>{title}</h4>\n<dl class="fields">{rows}</dl>\n' if rows else ""

    def _body(self, title: str, carrier: dict[str, Any] | None, *, sent: bool = False) -> str:
        """Return the fields of a body. Required fields are marked only in a body that the reader has to send."""
        content = (carrier or {}).get("content", {})
        taken = content.get(_JSON) or content.get(_FORM)
        if taken is None:
            return ""
        rows = "".join(self._rows(taken["schema"], "", sent=sent))
        return f'<h4>{title}</h4>\n<dl class="fields">{rows}</dl>\n' if rows else ""

    def _rows(self, schema: dict[str, Any], prefix: str, *, sent: bool) -> list[str]:
        """Return the fields of a schema with those inside them, named by their paths."""
        target = self._resolved(schema)
        found = []
        for name, inner in target.get("properties", {}).items():
            path = f"{prefix}{name}"
            known = {"required": sent and name in target.get("required", [])}
            found.append(_row(path, self._flat(inner), {**inner, **known}))
            core = self._without_null(inner)
            if self._resolved(core).get("type") == "array":
                path, core = f"{path}[]", self._resolved(core)["items"]
            if "properties" in self._resolved(core):
                found += self._rows(core, f"{path}.", sent=sent)
        return found

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in schema:
            return schema
        found: dict[str, Any] = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return found

    def _without_null(self, schema: dict[str, Any]) -> dict[str, Any]:
        others = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
        return others[0] if len(others) == 1 else schema

    def _flat(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema as far as one line shows it: its type and bounds, null among its alternatives."""
        core = self._resolved(self._without_null(schema))
        flat = {word: core[word] for word in core if word not in {"properties", "description"}}
        if core.get("type") == "array":
            flat["items"] = self._resolved(core["items"])
        if core is not self._resolved(schema):
            flat["nullable"] = True
        return flat

    def _errors(self, operation: dict[str, Any]) -> str:
        rows = [
            _error_row(code, status, message)
            for status, answer in operation["responses"].items()
            if int(status) >= 400
            for code, message in _examples(self._response(answer))
        ]
        return f'<details><summary>Errors ({len(rows)})</summary><dl class="fields">{"".join(rows)}</dl></details>\n'

    def _response(self, answer: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in answer:
            return answer
        found: dict[str, Any] = self.document["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
        return found

    def _codes(self) -> str:
        known: dict[tuple[str, str], str] = {}
        for _, _, operation in self.operations:
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    for code, message in _examples(self._response(answer)):
                        known.setdefault((code, status), message)
        rows = "".join(_error_row(code, status, message) for (code, status), message in sorted(known.items()))
        return f'<section>\n<h2 id="codes">All error codes</h2>\n<dl class="fields">{rows}</dl></section>\n'


def _error_row(code: str, status: str, message: str) -> str:
    return f'<dt><code>{_text(code)}</code><span class="type">{status}</span></dt><dd>{_inline(message)}</dd>'


def _examples(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the codes of an answer's examples, each with the message of its first; a page has none."""
    found: dict[str, str] = {}
    for example in answer["content"].get(_JSON, {}).get("examples", {}).values():
        error = example["value"]["error"]
        if isinstance(error, str):  # OAuth's form
            found.setdefault(error, example["value"]["error_description"])
        else:
            found.setdefault(error["code"], error["message"])
    return [*found.items()]


def _row(name: str, schema: dict[str, Any], details: dict[str, Any], place: str = "") -> str:
    required = '<span class="required">required</span>' if details.get("required") is True else ""
    where = f'<span class="place">{place}</span>' if place else ""
    text = details.get("description", "")
    return (
        f'<dt><code>{_text(name)}</code><span class="type">{_text(_type(schema))}</span>{where}{required}</dt>'
        f"<dd>{_inline(text)}</dd>"
    )


def _type(schema: dict[str, Any]) -> str:
    """Return a schema's type in words, such as `string, 8 to 128 characters`."""
    if "enum" in schema:
        words = " | ".join(str(value) for value in schema["enum"])
    elif "const" in schema:
        words = f"always {schema['const']}"
    elif schema.get("type") == "array":
        inner = schema["items"]
        words = f"list of {_type(inner)}" if "properties" not in inner else "list of objects"
    elif "anyOf" in schema:
        words = " or ".join(_type(each) for each in schema["anyOf"])
    else:
        words = {"int64": "integer, ms"}.get(schema.get("format", ""), schema.get("type", "any"))
    for low, high, unit in (
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minimum", "maximum", ""),
    ):
        words += _bounds(schema.get(low), schema.get(high), unit)
    if "default" in schema:
        words += f", default {json.dumps(schema['default'])}"
    return words + (" or null" if schema.get("nullable") else "")


def _bounds(low: int | None, high: int | None, unit: str) -> str:
    if low is not None and high is not None:
        return f", {low:,} to {high:,}{unit}"
    if high is not None:
        return f", up to {high:,}{unit}"
    return f", at least {low:,}{unit}" if low is not None and low > 1 else ""


def _shown(title: str, carrier: dict[str, Any]) -> str:
    example = carrier.get("content", {}).get(_JSON, {}).get("examples", {}).get("typical")
    if example is None:
        return ""
    written = json.dumps(example["value"], indent=2, ensure_ascii=False)
    return f'<h4>{title}, for example</h4>\n<pre tabindex="0"><code>{_text(written)}</code></pre>\n'


def _curl(method: str, path: str, operation: dict[str, Any]) -> str:
    for parameter in operation.get("parameters", []):
        path = path.replace("{" + parameter["name"] + "}", str(parameter.get("example", "ID")))
    required = [p for p in operation.get("parameters", []) if p["in"] == "query" and p.get("required")]
    if required:
        path += "?" + "&".join(f"{parameter['name']}=visitor-4f9c2b7a" for parameter in required)
    lines = [f'curl "$BASE_URL{path}"']
    if method not in {"get", "post"} or (method == "post" and "requestBody" not in operation):
        lines[0] = f'curl -X {method.upper()} "$BASE_URL{path}"'
    if operation["security"]:
        lines.append('  -H "authorization: Bearer $KEY"')
    example = (
        operation.get("requestBody", {}).get("content", {}).get(_JSON, {}).get("examples", {}).get("typical")
    )
    if example is not None:
        lines.append('  -H "content-type: application/json"')
        written = json.dumps(example["value"], indent=2, ensure_ascii=False).replace("\n", "\n  ")
        lines.append(f"  -d '{written}'")
    form = (
        operation.get("requestBody", {}).get("content", {}).get(_FORM, {}).get("examples", {}).get("typical")
    )
    if form is not None:
        lines += [f"  -d '{name}={value}'" for name, value in form["value"].items()]
    return f'<h4>Request</h4>\n<pre tabindex="0"><code>{_text(" \\\n".join(lines))}</code></pre>\n'


def _text(text: str) -> str:
    return html.escape(text, quote=False)


def _inline(text: str) -> str:
    """Return text with its Markdown for code and emphasis as HTML."""
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", escaped)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_inline(' '.join(part.split()))}</p>\n" for part in text.split("\n\n"))
