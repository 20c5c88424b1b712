"""What can go wrong with a form of a help site."""

from helpdesk.platform.errors import AppError


class FormNotOwn(AppError):
    """A form was not sent from a page of the site, or the browser blocks cookies."""

    status, code = 403, "form_not_own"
    message = "Allow cookies, open the page again and send the form from there."
