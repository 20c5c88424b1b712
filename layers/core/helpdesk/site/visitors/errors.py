"""Errors of the forms that visitors send."""

from helpdesk.platform.errors import ForbiddenError


class FormNotOwn(ForbiddenError):
    """The form was not sent from a page of the site, or the browser blocks cookies."""

    code = "form_not_own"
    message = "Allow cookies, open the page again and send the form from there."
