"""Items of the table are read and written in repositories and in the records' codecs; all other code has typed records.

`mypy --strict` sees nothing in `item["subject"]`, so such subscripts are counted: with a word as their constant key,
outside repositories, `storage` and the functions that turn a record into an item or a message's body and back. Of what
is an item by its annotation, its name, or the function that returned it, `item.get("subject")` and `"subject" in item`
count, too, and in every module.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.rules import for_each
from tests.support.template import ROOT

CORE = ROOT / "layers" / "core" / "helpdesk"
CODEC = re.compile(r"(.*_)?(from|to)_(item|items|body|attribute)")
WORD = re.compile(r"[A-Za-z]\w*")
ITEM = re.compile(r"Item( \| None)?")

# Modules that read other documents than items of the table.
OTHER_DOCUMENTS = {
    "agent/converse.py": "responses of Bedrock",
    "agent/language_data.py": "TOML files",
    "analytics/sources.py": "records of the table's stream",
    "knowledge/crawls/escaping.py": "attributes of HTML elements",
    "knowledge/crawls/extraction.py": "attributes of HTML elements",
    "knowledge/crawls/reading.py": "replies of the process that reads pages, which are JSON",
    "webhooks/delivery/fanout.py": "records of the table's stream, messages of SQS",
    "conversations/files/store.py": "responses of S3",
    "integrations/discord/asking.py": "what Discord sends, as the receiver writes it, and its responses",
    "integrations/discord/connector.py": "responses of Discord",
    "integrations/discord/service.py": "responses of Discord",
    "integrations/discord/api.py": "responses of Discord, and what an operator enters",
    "integrations/discord/receiver.py": "what Discord sends",
    "integrations/discord/worker.py": "messages of SQS",
    "integrations/slack/connector.py": "responses of Slack",
    "integrations/slack/service.py": "responses of Slack",
    "integrations/slack/clicks.py": "what Slack sends, as the receiver writes it",
    "integrations/slack/outgoing.py": "responses of Slack",
    "integrations/slack/receiver.py": "what Slack sends",
    "integrations/slack/replies.py": "what Slack sends, as the receiver writes it, and its responses",
    "integrations/slack/speaking.py": "responses of Slack",
    "integrations/slack/worker.py": "messages of SQS, as the receiver writes them",
    "integrations/github/app_identity.py": "responses of GitHub",
    "integrations/github/lost_hooks.py": "responses of GitHub",
    "integrations/github/issues.py": "responses of GitHub, and messages as the receiver writes them",
    "integrations/github/issue_looks.py": "responses of GitHub",
    "integrations/github/status_sync.py": "responses of GitHub, and messages as the receiver writes them",
    "integrations/github/renaming.py": "messages of SQS",
    "integrations/github/issue_links.py": "responses of GitHub, and messages as the receiver writes them",
    "integrations/github/api.py": "responses of GitHub",
    "integrations/github/connector.py": "responses of GitHub",
    "integrations/github/receiver.py": "what GitHub sends",
    "integrations/github/worker.py": "messages of SQS, as the receiver writes them",
    "site/article_cache.py": "what the renderer made, which is JSON",
    "integrations/linear/connector.py": "responses of Linear",
    "integrations/linear/service.py": "responses of Linear",
    "integrations/linear/issues.py": "responses of Linear",
    "integrations/linear/status_sync.py": "what Linear sends, as the receiver writes it",
    "integrations/linear/receiver.py": "what Linear sends",
    "integrations/linear/api.py": "responses of Linear, and the operator's credentials",
    "integrations/linear/worker.py": "messages of SQS, as the receiver writes them",
    "webhooks/following.py": "bodies of events",
    "live/hints.py": "records of the table's stream",
    "live/sockets.py": "events of API Gateway",
    "integrations/worker.py": "messages of SQS, as the receiver writes them",
    "customers/profile.py": "the body of a request, before it is validated",
    "search/embeddings/bedrock.py": "responses of Bedrock",
    "api/http/gateway.py": "events of API Gateway",
    "api/http/validation.py": "errors of pydantic",
    "agent_runs/prompts.py": "messages of Bedrock",
    "agent_runs/signalling.py": "results of its own calls, which are JSON for the model",
    "knowledge/document_store.py": "responses of S3",
    "knowledge/images.py": "responses of S3",
    "knowledge/index.py": "documents of Tantivy",
    "knowledge/vectorizing.py": "responses of S3",
    "mail/sender.py": "requests and errors of SES",
    "accounts/oauth/pages.py": "globals of Jinja",
    "outbound/sender.py": "statistics of the standard library's ssl",
    "platform/errors.py": "the body of an error response",
    "platform/queues.py": "messages of SQS",
    "api/reference/page.py": "the OpenAPI document",
    "search/s3_index/manifest.py": "the manifest of an index, which is JSON",
    "search/s3_index/store.py": "requests and responses of S3",
    "search/s3_index/vectors.py": "the header of a file of vectors, which is JSON",
    "site/boxes.py": "tokens and the environment of markdown-it",
    "site/heading_ids.py": "tokens of markdown-it",
    "site/html_in_markdown.py": "attributes of HTML",
    "site/markdown.py": "the environment of markdown-it",
    "site/markdown_parser.py": "the environment of markdown-it",
    "site/rendering.py": "the filters of Jinja",
    "tools/manifest.py": "the manifest of a tool endpoint, which is JSON",
}


def inside(path: Path) -> str:
    return path.relative_to(CORE).as_posix()


def is_for_items(path: Path) -> bool:
    """Whether a module may read items: a repository, or the storage package."""
    return path.stem.endswith("repository") or path.is_relative_to(CORE / "storage")


def is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(WORD.fullmatch(node.value))


@cache
def raw_subscripts(path: Path) -> list[str]:
    """Return the subscripts with a word as key outside codecs."""
    nodes = list(ast.walk(parsed(path)))
    in_codecs = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.FunctionDef) and CODEC.fullmatch(node.name)
        for inner in ast.walk(node)
    }
    return [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Subscript) and is_word(node.slice) and id(node) not in in_codecs
        if ast.unparse(node.value) != "Literal"
    ]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_annotated(annotation: ast.expr | None) -> bool:
    return annotation is not None and bool(ITEM.fullmatch(ast.unparse(annotation)))


@cache
def returning_items(module: str) -> set[str]:
    """Return a module's functions that return an item, such as `settings` of `helpdesk.integrations.service`."""
    path = CORE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    body = parsed(path).body if path.exists() else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and is_annotated(node.returns)}


@cache
def returning_items_as(tree: ast.Module, module: str) -> set[str]:
    """Return how a module calls the functions that return an item: its own, and those that it imports."""
    found = set(returning_items(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                name = alias.asname or alias.name
                found |= {f"{name}.{each}" for each in returning_items(f"{node.module}.{alias.name}")}
                found |= {name} & returning_items(node.module)
    return found


class Items:
    """Which expressions of a function are items of the table."""

    def __init__(self, function: ast.AST, makers: set[str]) -> None:
        self._makers = makers
        self._names = {"item"}
        for node in ast.walk(function):
            if isinstance(node, ast.arg) and is_annotated(node.annotation):
                self._names.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and is_annotated(node.annotation):
                self._names.add(ast.unparse(node.target))
            elif isinstance(node, ast.Assign) and node.value in self:
                self._names |= {ast.unparse(target) for target in node.targets}

    def __contains__(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return any(each in self for each in node.values)
        if isinstance(node, ast.Call):
            return ast.unparse(node.func) in self._makers
        return ast.unparse(node) in self._names or (isinstance(node, ast.Attribute) and node.attr == "item")


def functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions and methods of a module, each with those inside it, and without codecs."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ClassDef):
            yield from functions(inner)
        elif isinstance(inner, ast.FunctionDef) and not CODEC.fullmatch(inner.name):
            yield inner


def asked(node: ast.AST) -> ast.expr | None:
    """Return what a node asks for an attribute that it names, be it an item or not."""
    match node:
        case ast.Subscript(value=item, slice=name) if is_word(name):
            return item
        case ast.Call(func=ast.Attribute(value=item, attr="get" | "pop"), args=[name, *_]) if is_word(name):
            return item
        case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()], comparators=[item]) if is_word(name):
            return item
    return None


def item_reads(path: Path) -> list[str]:
    """Return what reads an attribute of an item outside codecs."""
    tree = parsed(path)
    module = ".".join(["helpdesk", *path.relative_to(CORE).with_suffix("").parts])
    found = []
    for function in functions(tree):
        asking = [(node, item) for node in ast.walk(function) if (item := asked(node)) is not None]
        if asking:
            items = Items(function, returning_items_as(tree, module))
            found += [ast.unparse(node) for node, item in asking if item in items]
    return found


MODULES = sorted(path for path in CORE.rglob("*.py") if not is_for_items(path))


@for_each("path", [path for path in MODULES if inside(path) not in OTHER_DOCUMENTS], ids=inside)
def test_a_module_other_than_a_repository_reads_no_item(path: Path) -> None:
    found = raw_subscripts(path)

    assert found == []


@for_each("path", MODULES, ids=inside)
def test_a_module_other_than_a_repository_asks_no_item_for_an_attribute(path: Path) -> None:
    found = item_reads(path)

    assert found == []


def test_every_module_that_reads_other_documents_still_does() -> None:
    assert {name for name in OTHER_DOCUMENTS if raw_subscripts(CORE / name)} == set(OTHER_DOCUMENTS)


@for_each("path", sorted(CORE.rglob("*repository.py")), ids=inside)
def test_a_record_is_not_in_a_repository(path: Path) -> None:
    """What an item holds is in `record.py`, where who reads a record finds it without the calls of the table."""
    found = [
        f"{record.name}.{method.name}"
        for record in parsed(path).body
        if isinstance(record, ast.ClassDef)
        for method in record.body
        if isinstance(method, ast.FunctionDef) and CODEC.fullmatch(method.name)
    ]

    assert found == []


@for_each("path", sorted(CORE.rglob("*.py")), ids=inside)
def test_frozen_records_are_not_generated_by_a_decorator(path: Path) -> None:
    """Each costs a function's start a millisecond; `Record` is the same without (docs/decisions/0030)."""
    generated = [
        node.name
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
        and any(
            re.fullmatch(r"(dataclasses\.)?dataclass\(.*frozen=True.*\)", ast.unparse(decorator))
            for decorator in node.decorator_list
        )
    ]

    assert generated == []
