"""The plan of a sync: applied to what is stored, it gives exactly what is wanted."""

from hypothesis import given
from hypothesis import strategies as st

from helpdesk.integrations.github.mirror_store import MirroredFile
from helpdesk.integrations.github.planning import plan

trees = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("1234"))


def a_file(path: str, sha: str, document_id: str | None) -> MirroredFile:
    return MirroredFile(
        organization="org_1", mirror_id="mirror_1", path=path, sha=sha, document_id=document_id
    )


@given(trees, trees, st.sets(st.sampled_from("abcdefgh")))
def test_applied_it_gives_the_wanted_tree_and_keeps_as_many_documents_as_it_can(
    before: dict[str, str], wanted: dict[str, str], without_text: set[str]
) -> None:
    stored = [
        a_file(path, sha, None if path in without_text else f"doc {path}") for path, sha in before.items()
    ]
    found = plan(stored, wanted, 0)

    now = dict(before)
    for file, path in found.renamed:
        assert file.sha == wanted[path]
        del now[file.path]
    for file in found.gone:
        del now[file.path]
    now |= {path: file.sha for file, path in found.renamed} | dict(found.fetched)
    assert now == wanted
    # A document goes only where nothing that is new has its content.
    left = {file.sha for file in found.gone if file.document_id is not None}
    assert not left & {sha for path, sha in found.fetched.items() if path not in before}


def test_two_files_that_change_places_are_changed_and_not_renamed() -> None:
    stored = [a_file("a", "1", "doc a"), a_file("b", "2", "doc b")]

    assert plan(stored, {"a": "2", "b": "1"}, 0).fetched == {"a": "2", "b": "1"}
    assert plan(stored, {"a": "2", "b": "1"}, 0).renamed == ()
