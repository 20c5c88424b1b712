"""Condition and update expressions, read once.

Part of quick_moto: the same answers in a fraction of the time.
"""

from collections import deque
from functools import lru_cache
from typing import Any

from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.parsing import ast_nodes, expressions, validators

_Node: Any = ast_nodes.Node  # type: ignore[attr-defined] # that module has no types
_Traverser: Any = ast_nodes.DepthFirstTraverser  # type: ignore[attr-defined] # likewise
_CLAUSES = (ast_nodes.Expression, ast_nodes.UpdateExpressionFunction)  # type: ignore[attr-defined] # likewise
_ACTIONS = tuple(
    getattr(ast_nodes, f"UpdateExpression{kind}Action") for kind in ("Set", "Remove", "Delete", "Add")
)
_counts: Any = validators.ActionCountValidator
_overlaps: Any = validators.OverlappingPathsValidator
_update_parser: Any = expressions.UpdateExpressionParser  # type: ignore[attr-defined] # likewise
_MOST_PARSED = 20_000
_parsed: dict[str, tuple[Any, list[str], list[str]]] = {}


def _parse(parser: ConditionExpressionParser) -> Any:
    """Parse a condition once; moto parses it for its names, for its values, and to evaluate it."""
    key = f"{parser.condition_expression}\0{parser.expression_attribute_names}\0{parser.expression_attribute_values}"
    if key not in _parsed:
        condition = _original_parse(parser)
        if len(_parsed) >= _MOST_PARSED:
            _parsed.clear()
        _parsed[key] = (condition, parser.expr_attr_names_found, parser.expr_attr_values_found)
        return condition
    condition, names, values = _parsed[key]
    parser.expr_attr_names_found = list(names)
    parser.expr_attr_values_found = list(values)
    return condition


_original_parse = ConditionExpressionParser.parse


def _lex(parser: ConditionExpressionParser) -> deque[Any]:
    """Split a condition into words once, whatever its values are."""
    return deque(_words(parser.condition_expression or ""))


@lru_cache(maxsize=2_000)
def _words(expression: str) -> tuple[Any, ...]:
    return tuple(_original_lex(ConditionExpressionParser(expression, {}, {})))


_original_lex = ConditionExpressionParser._lex_condition_expression


def _copied_node(node: Any, _: Any) -> Any:
    """Copy a parsed expression without `copy.deepcopy` and its memo: it is a tree, whose leaves are not changed."""
    new = object.__new__(type(node))
    new.__dict__.update(node.__dict__)
    new.parent = None
    if node.children is not None:
        new.children = [
            _copied_node(each, None) if isinstance(each, _Node) else each for each in node.children
        ]
        for each in new.children:
            if isinstance(each, _Node):
                each.parent = new
    return new


def _is_a(kind: type, kinds: tuple[type, ...]) -> bool:
    """Ask once for each pair: the nodes' classes are abstract, whose `isinstance` is slow."""
    asked = (kind, kinds)
    if asked not in _known:
        _known[asked] = issubclass(kind, kinds)
    return _known[asked]


_known: dict[tuple[type, tuple[type, ...]], bool] = {}


_nodes: dict[type, bool] = {}  # whether a class is one of nodes
_plans: dict[
    type, dict[type, int]
] = {}  # by traverser and class of node: which of its functions processes it, or -1


def _traverse(traverser: Any, root: Any) -> Any:
    """Visit the nodes; moto asks for the kinds to process again at each of them."""
    kinds = traverser.nodes_to_be_processed()
    handlers = tuple(traverser._processing_map().values())
    prepares = type(traverser).pre_processing_of_child is not _Traverser.pre_processing_of_child
    prepare = traverser.pre_processing_of_child
    plan = _plans.setdefault(type(traverser), {})

    def planned(kind: type) -> int:
        plan[kind] = next((at for at, each in enumerate(kinds) if issubclass(kind, each)), -1)
        _nodes[kind] = issubclass(kind, _Node)
        return plan[kind]

    def visit(node: Any, position: int) -> Any:
        kind = type(node)
        at = plan[kind] if kind in plan else planned(kind)
        if not _nodes[kind]:
            return node
        parent = node.parent
        children = node.children
        if children:
            for number, child in enumerate(children):
                if prepares:
                    prepare(node, number)
                visit(child, number)
        if at >= 0:
            node = handlers[at](node)
            node.parent = parent
            if parent:
                parent.children[position] = node
        return node

    return visit(root, -1)


def _make(expression: str) -> Any:
    """Parse an update once; copies of the nodes share `verified`, the checks that they have passed."""
    root = _original_make(expression)
    pending = [root]
    while pending:
        node = pending.pop()
        node.verified = set()
        pending += [each for each in node.children or () if isinstance(each, _Node)]
    return root


_original_make = _update_parser.make


def _verify_counts(validator: Any, node: Any) -> Any:
    """Count a clause's kinds once: they depend on the expression alone, and moto counts below each of its nodes."""
    if None not in node.verified:
        _original_verify_counts(validator, node)
        node.verified.add(None)
    return node


_original_verify_counts = _counts.verify_action_counts


def _check_overlaps(validator: Any, node: Any) -> Any:
    """Compare the paths once for each set of names: the answer depends on the expression and its names."""
    names = tuple((validator.expression_attribute_names or {}).items())
    if names not in node.verified:
        _original_check_overlaps(validator, node)
        node.verified.add(names)
    return node


_original_check_overlaps = _overlaps.check_for_overlapping_paths


def _prepare_child(processor: Any, parent: Any, position: int) -> None:
    """Ask once for each class whether it is an action, of which the first child is the path that it changes."""
    if _is_a(type(parent), _ACTIONS):
        processor.resolving = position != 0


def _find_clauses(node: Any, kinds: list[type]) -> list[Any]:
    """Find the clauses below a node, with a question to each class instead of each node."""
    found: list[Any] = []
    for child in node.children or ():
        if type(child) in kinds:
            found.append(child)
        elif _is_a(type(child), _CLAUSES):
            found += _find_clauses(child, kinds)
    return found


REPLACEMENTS: tuple[tuple[Any, str, Any], ...] = (
    # It depends on its argument alone; what it gives is copied before it is changed.
    (_update_parser, "make", lru_cache(_make)),
    (_counts, "verify_action_counts", _verify_counts),
    (_overlaps, "check_for_overlapping_paths", _check_overlaps),
    (validators.ExpressionAttributeResolvingProcessor, "pre_processing_of_child", _prepare_child),
    (ConditionExpressionParser, "parse", _parse),
    (ConditionExpressionParser, "_lex_condition_expression", _lex),
    (_Node, "__deepcopy__", _copied_node),
    (_Node, "find_clauses", _find_clauses),
    (_Traverser, "traverse", _traverse),
)
