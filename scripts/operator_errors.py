"""What an operator's command ends with."""


class OperatorError(Exception):
    """An error that the operator can fix; the message says how."""
