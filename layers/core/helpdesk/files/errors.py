"""What an attachment can be refused for (Specification: Errors, Messages and uploads)."""

from helpdesk.platform.errors import AppError


class AttachmentMissing(AppError):
    """An attachment's id names no uploaded file of this organization."""

    status, code = 400, "attachment_missing"
    message = "An attachment's id names no uploaded file of your organization. Check the id."
