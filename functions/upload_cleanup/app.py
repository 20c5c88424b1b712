"""Every hour: remove uploads that no message attached within a day."""

from helpdesk.conversations.files import service as files
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import declare

NEEDS = declare("FILES_BUCKET")


def handler(_event: object, _context: object) -> None:
    """Clean up once. The next run makes up for one that is missed or fails."""
    logger.info("uploads_cleaned_up", extra={"removed": files.remove_unattached()})
