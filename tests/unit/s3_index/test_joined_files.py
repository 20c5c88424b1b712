"""Files that are read as one, as an upload reads them."""

import io
from pathlib import Path

from helpdesk.search.s3_index.store import JoinedFiles


def test_files_are_read_one_after_the_other_from_any_place(tmp_path: Path) -> None:
    contents = {"a": b"first", "b": b"", "c": b"second", "d": b""}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)

    with JoinedFiles([tmp_path / name for name in contents]) as joined:
        assert joined.sizes == (("a", 5), ("b", 0), ("c", 6), ("d", 0))
        assert joined.read() == b"firstsecond"
        assert joined.read(1) == b""
        assert (joined.seek(0, io.SEEK_END), joined.tell()) == (11, 11)
        joined.seek(3)
        assert [joined.read(4) for _ in range(4)] == [b"st", b"seco", b"nd", b""]
        joined.seek(-2, io.SEEK_CUR)
        assert joined.read() == b"nd"
