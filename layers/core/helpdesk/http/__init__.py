"""From an API Gateway event to a noun's service and back: routes, admission, errors, pages."""
