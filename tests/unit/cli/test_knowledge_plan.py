"""The plan of a push, as a pure function of files, documents and folders."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpdesk_cli.knowledge.files import FileDocument, digest
from helpdesk_cli.knowledge.plan import Attention, Plan, plan
from helpdesk_cli.knowledge.state import Document, Folder, Tree
from tests.support import effort

NO_FOLDERS = Tree([])
TREE = Tree([Folder("f1", "guides"), Folder("f2", "setup", "f1"), Folder("f3", "old")])
TREE_IDS = {(): None, ("guides",): "f1", ("guides", "setup"): "f2", ("old",): "f3"}


def file(path: str, text: str = "Text", **fields: Any) -> FileDocument:
    made = FileDocument(path=path, title="Title", body=text, digests=frozenset({digest(text)}))
    return replace(made, **fields)


def pushed(id_: str, path: str, text: str = "Text", **fields: Any) -> Document:
    folder_id = {"guides": "f1", "guides/setup": "f2", "old": "f3"}.get(path.rpartition("/")[0])
    made = Document(id_, "Title", 1, digest(text), folder_id=folder_id, path=path, copied=1)
    return replace(made, **fields)


def written(id_: str, text: str = "Text", **fields: Any) -> Document:
    return replace(pushed(id_, "", text), path=None, copied=None, **fields)


def summary(made: Plan) -> dict[str, list[str]]:
    """The plan's parts that are not empty, by path."""
    parts = {
        "create": [write.file.path for write in made.creates],
        "change": [write.file.path for write in made.changes],
        "move": [write.file.path for write in made.moves],
        "remove": [str(document.path) for document in made.removes],
        "unchanged": made.unchanged,
        "attention": [point.path for point in made.attention],
    }
    return {name: paths for name, paths in parts.items() if paths}


def test_a_first_push_creates_everything_with_its_folders() -> None:
    made = plan([file("a.md"), file("x/y/z/deep/b.md"), file("x/c.md")], [], NO_FOLDERS)
    assert summary(made) == {"create": ["a.md", "x/c.md", "x/y/z/deep/b.md"]}
    assert made.folders == [("x",), ("x", "y"), ("x", "y", "z")]


def test_a_second_push_does_nothing() -> None:
    made = plan([file("a.md"), file("guides/b.md")], [pushed("1", "a.md"), pushed("2", "guides/b.md")], TREE)
    assert summary(made) == {"unchanged": ["a.md", "guides/b.md"]}
    assert (made.folders, made.obsolete) == ([], [])


def test_a_file_without_aliases_says_nothing_about_those_of_its_document() -> None:
    document = pushed("1", "a.md", aliases=("money back",))
    silent, same = file("a.md"), replace(file("a.md"), aliases=("money back",))
    (write,) = plan([replace(file("a.md"), aliases=("other",))], [document], TREE).changes

    assert summary(plan([silent], [document], TREE)) == {"unchanged": ["a.md"]}
    assert summary(plan([same], [document], TREE)) == {"unchanged": ["a.md"]}
    assert write.fields == {"aliases"}


@pytest.mark.parametrize(
    ("differs", "fields"),
    [
        ({"digest": digest("Old")}, {"body"}),
        ({"title": "Old"}, {"title"}),
        ({"url": "https://example.com/old"}, {"url"}),
        ({"digest": digest("Old"), "folder_id": "f3"}, {"body", "folderId"}),
    ],
)
def test_only_what_differs_is_sent(differs: dict[str, Any], fields: set[str]) -> None:
    (write,) = plan([file("a.md")], [pushed("1", "a.md", **differs)], TREE).changes
    assert write.fields == fields
    assert not write.overwrites


def test_a_renamed_file_keeps_its_document() -> None:
    made = plan([file("guides/new.md")], [pushed("1", "old/a.md")], TREE)
    assert summary(made) == {"move": ["guides/new.md"]}
    assert made.moves[0].document == pushed("1", "old/a.md")
    assert made.moves[0].fields == {"folderId"}
    assert made.obsolete == ["f3"]


def test_of_files_with_the_same_text_each_keeps_its_own_document() -> None:
    files = [file("a.md"), file("b2.md"), file("c.md")]
    made = plan(files, [pushed("1", "b.md"), pushed("2", "a.md")], TREE)
    assert summary(made) == {"create": ["c.md"], "move": ["b2.md"], "unchanged": ["a.md"]}


def test_a_file_with_its_documents_id_is_found_wherever_it_is() -> None:
    changed = file("guides/new.md", "New text", id="1")
    made = plan([changed], [pushed("1", "old/a.md")], TREE)
    assert made.changes[0].document == pushed("1", "old/a.md")
    assert made.changes[0].fields == {"body", "folderId"}


def test_of_two_files_with_one_id_the_document_belongs_to_the_one_at_its_path() -> None:
    made = plan([file("a.md", "Copy", id="1"), file("b.md", id="1")], [pushed("1", "b.md")], TREE)
    assert summary(made) == {"create": ["a.md"], "unchanged": ["b.md"]}


def test_a_document_whose_file_is_gone_is_removed_with_the_folder_that_becomes_empty() -> None:
    documents = [pushed("1", "a.md"), pushed("2", "guides/setup/b.md"), pushed("3", "old/c.md"), written("4")]
    made = plan([file("a.md")], [*documents, written("5", folder_id="f3")], TREE)
    assert summary(made) == {"remove": ["guides/setup/b.md", "old/c.md"], "unchanged": ["a.md"]}
    assert made.obsolete == ["f2", "f1"]


def test_an_empty_folder_of_the_team_stays() -> None:
    assert plan([file("a.md")], [pushed("1", "a.md")], TREE).obsolete == []


def test_what_push_did_not_make_is_never_touched() -> None:
    others = [
        written("1", "Theirs"),
        written("2", "Theirs", kind="suggestion"),
        written("3", "Theirs", kind="crawl"),
        pushed("4", "b.md", "Theirs", kind="repository"),
    ]
    assert summary(plan([file("a.md")], others, TREE, force=True)) == {"create": ["a.md"]}


def test_a_document_that_somebody_changed_is_reported_and_overwritten_by_force_only() -> None:
    edited = pushed("1", "a.md", "Edited", version=2)
    made = plan([file("a.md")], [edited], TREE)
    assert made.attention == [Attention("a.md", "somebody has changed the document since")]
    assert made.steps == 0
    forced = plan([file("a.md")], [edited], TREE, force=True)
    assert (summary(forced), forced.overwritten) == ({"change": ["a.md"]}, 1)


def test_a_file_that_was_pulled_after_a_change_may_change_the_document() -> None:
    edited = pushed("1", "a.md", "Edited", version=2)
    assert summary(plan([file("a.md", id="1", version=2)], [edited], TREE)) == {"change": ["a.md"]}
    later = replace(edited, version=3)
    assert summary(plan([file("a.md", id="1", version=2)], [later], TREE)) == {"attention": ["a.md"]}


def test_a_changed_document_without_a_file_is_removed_by_force_only() -> None:
    documents = [pushed("1", "a.md"), pushed("2", "b.md", version=2)]
    made = plan([file("a.md")], documents, TREE)
    assert summary(made) == {"unchanged": ["a.md"], "attention": ["b.md"]}
    assert summary(plan([file("a.md")], documents, TREE, force=True))["remove"] == ["b.md"]


def test_the_document_of_a_file_that_cannot_be_read_stays() -> None:
    made = plan([file("a.md")], [pushed("1", "a.md"), pushed("2", "b.md")], TREE, kept={"b.md"})
    assert summary(made) == {"unchanged": ["a.md"]}


def test_of_two_documents_for_one_path_the_one_without_a_change_stays() -> None:
    made = plan([file("a.md")], [pushed("1", "a.md", "Old"), pushed("2", "a.md")], TREE)
    assert [document.id for document in made.removes] == ["1"]
    assert made.unchanged == ["a.md"]


def test_a_written_document_with_the_same_text_is_taken_over_with_adopt_only() -> None:
    assert summary(plan([file("a.md")], [written("1")], TREE)) == {"unchanged": ["a.md"]}
    made = plan([file("a.md")], [written("1")], TREE, adopt=True)
    assert (summary(made), made.moves[0].fields) == ({"move": ["a.md"]}, frozenset())
    # It has another title.
    made = plan([file("a.md")], [written("1", title="Other")], TREE)
    assert made.attention == [Attention("a.md", "a person wrote its document; take it over with --adopt")]


def test_adopt_finds_a_document_by_title_and_folder_and_counts_what_it_overwrites() -> None:
    theirs = written("1", "Theirs", folder_id="f1", url="https://example.com/page")
    assert summary(plan([file("guides/a.md")], [theirs], TREE)) == {"create": ["guides/a.md"]}
    made = plan([file("guides/a.md")], [theirs], TREE, adopt=True)
    assert (summary(made), made.overwritten) == ({"change": ["guides/a.md"]}, 1)
    assert made.changes[0].fields == {"body"}
    assert summary(plan([file("a.md")], [theirs], TREE, adopt=True)) == {"create": ["a.md"]}


def test_a_push_compares_only_with_pushes_into_the_same_folder() -> None:
    documents = [
        pushed("1", "a.md"),
        pushed("2", "Guides//a.md", folder_id="f1"),
        pushed("3", "Guides//gone.md", folder_id="f1"),
        pushed("4", "Old/Deep//a.md", folder_id="f3"),
        pushed("5", "guides/a.md"),
        pushed("6", "//of-another-client.md"),
    ]
    made = plan([file("a.md", into=("guides",))], documents, TREE, ("guides",))
    assert summary(made) == {"remove": ["Guides//gone.md"], "unchanged": ["a.md"]}
    made = plan([file("a.md")], documents, TREE)
    assert summary(made) == {"remove": ["//of-another-client.md", "guides/a.md"], "unchanged": ["a.md"]}
    made = plan([file("a.md", into=("new", "x"))], documents, TREE, ("new", "x"))
    assert summary(made) == {"create": ["a.md"]}
    assert made.creates[0].path == "new/x//a.md"
    assert made.folders == [("new",), ("new", "x")]


def test_the_folder_of_a_push_counts_as_a_level() -> None:
    deep = file("x/y/z/a.md", into=("new",))
    assert plan([deep], [], NO_FOLDERS, ("new",)).folders == [("new",), ("new", "x"), ("new", "x", "y")]


def test_a_pulled_copy_changes_the_document_of_another_push_and_leaves_it_there() -> None:
    document = pushed("1", "guides//a.md", folder_id="f1")
    copy = file("guides/a.md", "New text", id="1")
    (write,) = plan([copy], [document], TREE).changes
    assert (write.document, write.path) == (document, "guides//a.md")
    assert summary(plan([replace(copy, digests=frozenset({digest("Text")}))], [document], TREE)) == {
        "unchanged": ["guides/a.md"]
    }


def test_adopt_takes_documents_over_from_a_push_into_another_folder() -> None:
    documents = [pushed("1", "a.md"), pushed("2", "b.md", "Theirs")]
    files = [file("a.md", into=("guides",))]
    (write,) = plan(files, documents, TREE, ("guides",), adopt=True).moves
    assert (write.document, write.path) == (documents[0], "guides//a.md")
    assert write.fields == {"folderId"}


def test_a_synced_document_is_never_taken_over() -> None:
    crawled = written("1", "Theirs", kind="crawl")
    pulled = file("a.md", id="1")
    made = plan([pulled], [crawled], TREE, adopt=True, force=True)
    assert made.attention == [Attention("a.md", "its document is synced from a crawl; change it there")]
    same = replace(pulled, digests=frozenset({digest("Theirs")}))
    assert summary(plan([same], [crawled], TREE, adopt=True, force=True)) == {"unchanged": ["a.md"]}


def applied(made: Plan, documents: Sequence[Document], tree: Tree) -> tuple[list[Document], Tree]:
    """Carry out a plan on documents and folders held in memory, as the service does."""
    folders = dict(tree.folders)
    for number, path in enumerate(made.folders):
        parent = Tree(folders.values()).id_of(path[:-1])
        folders[f"new{number}-{len(folders)}"] = Folder(f"new{number}-{len(folders)}", path[-1], parent)
    parents = {folder_id: folders[folder_id].parent_id for folder_id in made.obsolete}
    state = {one.id: one for one in documents}
    for folder_id in made.obsolete:
        del folders[folder_id]
        assert all(folder.parent_id != folder_id for folder in folders.values())
        for one in state.values():
            if one.folder_id == folder_id:
                state[one.id] = replace(one, folder_id=parents[folder_id])
    after = Tree(folders.values())
    for write in (*made.creates, *made.changes, *made.moves):
        old, new = write.document, write.file
        content = {"title": new.title, "url": new.url, "digest": digest(new.body)}
        place = after.id_of(new.folder)
        if old is None:
            id_ = f"made-{write.path}"
            assert id_ not in state
            state[id_] = Document(
                id_, new.title, 1, digest(new.body), new.url, place, path=write.path, copied=1
            )
            continue
        named = {"body": "digest", "title": "title", "url": "url"}
        sent: dict[str, Any] = {named[name]: content[named[name]] for name in write.fields if name in named}
        version = old.version + bool(sent)
        if "folderId" in write.fields:
            sent["folder_id"] = place
        state[old.id] = replace(state[old.id], **sent, version=version, path=write.path, copied=version)
    for one in made.removes:
        del state[one.id]
    return list(state.values()), after


PATHS = st.sampled_from(
    [
        "a.md",
        "b.md",
        "guides/a.md",
        "guides/setup/a.md",
        "Guides/b.md",
        "new/a.md",
        "new/x/y/z/a.md",
        "old/b.md",
    ]
)
TEXTS = st.sampled_from(["One", "Two", "Three"])
FILES = st.lists(
    st.builds(
        lambda path, text, id_: file(path, text, id=id_),
        PATHS,
        TEXTS,
        st.sampled_from([None, None, None, "d0", "d1"]),
    ),
    unique_by=lambda one: one.path,
    max_size=6,
)
DOCUMENTS = st.lists(
    st.builds(
        lambda path, text, folder, kind, version: Document(
            "",
            "Title",
            version,
            digest(text),
            folder_id=folder,
            kind=kind,
            path=path,
            copied=None if path is None else 1,
        ),
        st.one_of(st.none(), PATHS, PATHS.map(lambda path: f"old//{path}")),
        TEXTS,
        st.sampled_from([None, "f1", "f2", "f3"]),
        st.sampled_from(["written", "written", "suggestion", "crawl"]),
        st.sampled_from([1, 1, 2]),
    ),
    max_size=6,
).map(lambda made: [replace(one, id=f"d{number}") for number, one in enumerate(made)])


@settings(max_examples=effort.of(200, 5_000), deadline=None)
@given(FILES, DOCUMENTS, st.sampled_from([(), ("Old",)]), st.booleans(), st.booleans())
def test_after_any_push_another_one_changes_nothing(
    files: list[FileDocument], documents: list[Document], into: tuple[str, ...], adopt: bool, force: bool
) -> None:
    files = [replace(one, into=into) for one in files]
    made = plan(files, documents, TREE, into, adopt=adopt, force=force)
    mentioned = [one for part in summary(made).values() for one in part]
    assert {one.path for one in files} <= set(mentioned)
    for document in made.removes:
        assert document.path_in(into) is not None
    for write in (*made.changes, *made.moves):
        assert write.document is not None
        assert adopt or write.document.path_in(into) is not None or write.document.id == write.file.id
        assert not write.document.synced
        assert adopt or write.document.pushed
    after, tree = applied(made, documents, TREE)
    again = plan(files, after, tree, into, adopt=adopt, force=force)
    assert (again.steps, again.folders, again.obsolete) == (0, [], [])
    kept = {one.id: one for one in after}
    for one in documents:
        if not one.pushed and (one.synced or not adopt):
            assert replace(kept[one.id], folder_id=one.folder_id) == one


@settings(max_examples=effort.of(100, 3_000), deadline=None)
@given(FILES, DOCUMENTS, st.data())
def test_an_interrupted_push_is_completed_by_the_next_one(
    files: list[FileDocument], documents: list[Document], data: st.DataObject
) -> None:
    made = plan(files, documents, TREE, force=True)
    part = Plan(folders=made.folders, obsolete=made.obsolete)
    part.changes = drawn(data, made.changes)
    part.moves = drawn(data, made.moves)
    part.creates = drawn(data, made.creates)
    part.removes = drawn(data, made.removes)
    after, tree = applied(part, documents, TREE)
    after, tree = applied(plan(files, after, tree, force=True), after, tree)
    again = plan(files, after, tree, force=True)
    assert (again.steps, again.folders, again.obsolete) == (0, [], [])
    whole, _ = applied(made, documents, TREE)
    assert contents(after, files) == contents(whole, files)


def drawn[T](data: st.DataObject, whole: list[T]) -> list[T]:
    """Some of a list."""
    return data.draw(st.lists(st.sampled_from(whole), unique=True)) if whole else []


def contents(documents: Sequence[Document], files: Sequence[FileDocument]) -> list[tuple[object, ...]]:
    """What documents hold. A file with its document's id is found by that, whatever path an earlier push left there."""
    found = {one.id for one in files}
    return sorted(
        ("" if one.id in found else one.path or "", one.digest, one.title, one.kind) for one in documents
    )
