"""What a file of a repository becomes: the title and the text of a document."""

from helpdesk_files import reading
from helpdesk_files.reading import FileText


def is_pointer(content: bytes) -> bool:
    """Return whether a file stands for one of Git LFS, which holds its content (git-lfs.com, Specification)."""
    return content.startswith(b"version https://git-lfs.github.com/spec/")


def read(path: str, content: bytes) -> FileText:
    """Return what a file becomes. Bytes that are no UTF-8 are replaced."""
    return reading.read(path, content.decode("utf-8", errors="replace").replace("\x00", ""))
