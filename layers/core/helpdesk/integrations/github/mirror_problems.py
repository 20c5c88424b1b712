"""What an admin reads about a mirror whose sync worked, and yet does not hold all that they may expect."""

from helpdesk.integrations.github.api import Snapshot
from helpdesk.integrations.github.errors import MAX_FILES, MAX_IMAGES
from helpdesk.knowledge.errors import MAX_BODY_BYTES

PRIVATE = (
    "The repository is private now, and its documents still answer visitors. "
    "Remove the mirror if they should not."
)


def left_out(found: Snapshot, folder: str | None, long: list[str]) -> str | None:
    """Return what an admin reads about files that are not mirrored; `long` are those with too much text."""
    said = []
    if not found.has_folder:
        said.append(f"There is no folder {folder} in the branch {found.branch}, so nothing is mirrored.")
    if found.archived:
        said.append("The repository is archived at GitHub, so its documents stay as they are.")
    if len(found.files) > MAX_FILES:
        said.append(
            f"Of {len(found.files):,} Markdown files the first {MAX_FILES:,} are mirrored. Mirror a folder."
        )
    if len(found.images) > MAX_IMAGES:
        said.append(f"Of {len(found.images):,} images the first {MAX_IMAGES:,} are mirrored.")
    if long:
        said.append(
            f"{len(long)} files have more than {MAX_BODY_BYTES:,} bytes of text and are left out, such as {long[0]}."
        )
    if found.too_large:
        said.append(f"{len(found.too_large)} files over 1 MB are left out, such as {found.too_large[0]}.")
    return " ".join(said) or None
