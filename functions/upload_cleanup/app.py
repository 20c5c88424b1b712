"""Every hour: files that no message attached within a day are removed."""

from helpdesk.files import service as files
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import declare

NEEDS = declare("FILES_BUCKET")


def handler(_event: object, _context: object) -> None:
    """Sweep once. A run that is missed or dies is made up for by the next."""
    logger.info("uploads_cleaned_up", extra={"removed": files.remove_unattached()})
