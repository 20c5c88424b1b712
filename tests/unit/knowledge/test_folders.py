"""The tree of folders: any program of changes leaves at most three levels, no cycle, and every folder once."""

import random

import pytest

from helpdesk.knowledge.errors import (
    FolderCycle,
    FolderLimit,
    FolderNotFound,
    FolderTooDeep,
    OrderInvalid,
)
from helpdesk.knowledge.folders import ROOT, Tree
from helpdesk.platform.errors import AppError
from tests.support import effort

TREE = Tree(organization="acme", version=7, children={ROOT: ("a", "b"), "a": ("a1", "a2"), "a1": ("a11",)})


def levels(tree: Tree) -> dict[str, int]:
    """Return each folder's level. Fails on a cycle, on a folder in two places and on one that cannot be reached."""
    found: dict[str, int] = {}

    def visit(parent: str, level: int) -> None:
        for folder in tree.children.get(parent, ()):
            assert folder not in found
            found[folder] = level
            visit(folder, level + 1)

    visit(ROOT, 1)
    assert set(found) == {folder for inside in tree.children.values() for folder in inside}
    return found


def test_a_walk_has_each_folder_before_its_subfolders() -> None:
    assert list(TREE.walk()) == [
        ("a", ROOT, 0),
        ("a1", "a", 0),
        ("a11", "a1", 0),
        ("a2", "a", 1),
        ("b", ROOT, 1),
    ]


def test_a_new_folder_is_the_last_of_its_parent() -> None:
    assert TREE.with_added("a3", "a").children["a"] == ("a1", "a2", "a3")
    assert TREE.with_added("c", ROOT).children[ROOT] == ("a", "b", "c")


def test_a_fourth_level_is_refused() -> None:
    with pytest.raises(FolderTooDeep):
        TREE.with_added("new", "a11")
    with pytest.raises(FolderTooDeep):
        TREE.with_moved("a", "b")
    with pytest.raises(FolderTooDeep):
        TREE.with_moved("a1", "a2")


def test_a_folder_inside_itself_is_refused() -> None:
    for parent in ("a", "a1", "a11"):
        with pytest.raises(FolderCycle):
            TREE.with_moved("a", parent)


def test_a_folder_moves_with_its_subfolders_to_the_end() -> None:
    moved = TREE.with_moved("a1", ROOT)
    assert moved.children == {ROOT: ("a", "b", "a1"), "a": ("a2",), "a1": ("a11",)}
    assert moved.version == 8


def test_a_move_to_the_same_parent_changes_nothing() -> None:
    assert TREE.with_moved("a1", "a") is TREE


def test_an_order_must_name_exactly_the_children() -> None:
    assert TREE.with_order("a", ["a2", "a1"]).children["a"] == ("a2", "a1")
    for wrong in (["a1"], ["a1", "a2", "b"], ["a1", "a1"], ["a1", "a2", "a2"], []):
        with pytest.raises(OrderInvalid):
            TREE.with_order("a", wrong)
    assert TREE.with_order("a2", []).children == TREE.children


def test_subfolders_take_the_place_of_a_deleted_folder() -> None:
    deleted = TREE.without("a")
    assert deleted.children == {ROOT: ("a1", "a2", "b"), "a1": ("a11",)}
    assert deleted.closing == {"a": ROOT}


def test_what_a_deleted_folder_still_has_to_move_follows_its_target() -> None:
    tree = TREE.without("a1").without("a")
    assert tree.closing == {"a1": ROOT, "a": ROOT}
    assert tree.with_closed("a1").closing == {"a": ROOT}


@pytest.mark.parametrize("folder", ["x", ROOT])
def test_an_unknown_folder_is_not_found(folder: str) -> None:
    with pytest.raises(FolderNotFound):
        TREE.with_moved(folder, "b")
    with pytest.raises(FolderNotFound):
        TREE.without(folder)


def test_an_unknown_parent_is_not_found() -> None:
    with pytest.raises(FolderNotFound):
        TREE.with_added("new", "x")
    with pytest.raises(FolderNotFound):
        TREE.with_moved("b", "x")
    with pytest.raises(FolderNotFound):
        TREE.with_order("x", [])


def test_a_thousand_folders_are_allowed() -> None:
    tree = Tree(organization="acme", version=1, children={ROOT: tuple(f"f{number}" for number in range(999))})
    full = tree.with_added("last", ROOT)
    with pytest.raises(FolderLimit):
        full.with_added("more", ROOT)


@pytest.mark.parametrize("seed", range(effort.of(20, 400)))
def test_any_program_of_changes_leaves_a_tree_of_three_levels(seed: int) -> None:
    rng = random.Random(seed)
    tree = Tree(organization="acme")
    for number in range(60):
        known = [folder for folder, _, _ in tree.walk()] or ["x"]
        folder, parent = rng.choice(known), rng.choice([*known, ROOT, ROOT])
        siblings = list(tree.children.get(parent, ()))
        rng.shuffle(siblings)
        before = tree
        try:
            match rng.randrange(5):
                case 0 | 1:
                    tree = tree.with_added(f"f{number}", parent)
                case 2:
                    tree = tree.with_moved(folder, parent)
                case 3:
                    tree = tree.without(folder)
                case _:
                    tree = tree.with_order(parent, siblings)
        except AppError:
            assert tree is before
        assert max(levels(tree).values(), default=0) <= 3
        assert Tree.from_item(tree.to_item()) == tree
