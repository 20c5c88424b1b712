"""template/generated/api.json: the paths of the API and the gateway's own errors, written from the routes.

`make openapi` writes it; `make check` compares it (--check). template.yaml includes it in the API, so it takes the long
forms of CloudFormation's functions.
"""

import json
import sys

from scripts.local import aws_limits
from scripts.openapi.routes import ROOT, routes_by_function

API = ROOT / "template" / "generated" / "api.json"

# Spelled out, because the emulator does not know the "any" method.
_METHODS = ("get", "post", "put", "patch", "delete")
# No route of the API has these, but the pages that anyone reads have HEAD. The gateway refuses them as _NO_ROUTE says,
# but the emulator ignores its settings for refusals.
_UNSERVED_METHODS = ("head", "options")
_NOT_FOUND = "not_found"
# Pages that others link to. What is below a sign-in changes something, as a provider leads there with GET.
_READ_BY_HEAD = frozenset(
    {
        "/site",
        "/site/{slug}",
        "/site/{slug}/{proxy+}",
        "/site/{slug}/search",
        "/site/{slug}/sign-in",
        "/console",
        "/console/{proxy+}",
    }
)
# Pages for people, which are no routes of the API.
_PAGES = {
    "/site/{slug}": "site",
    "/site/{slug}/search": "site_search",
    "/site/{slug}/sign-in": "site_sign_in",
    "/console": "console",
}

_INVALID_KEY = (401, "invalid_api_key", "Send a secret key as a bearer token in the Authorization header.")
_FORBIDDEN = (403, "forbidden", "The request was refused.")
_FAILED = (500, "internal_error", "Something went wrong on our side. Try again.")
_NO_ROUTE = (404, "not_found", "There is no such route.")
_MALFORMED = (400, "invalid_request", "A parameter of the request is missing or malformed.")
_TOO_LARGE = (400, "invalid_request", aws_limits.ANYWHERE)
_AT_ONCE = (429, "rate_limited", "Too many requests at once. Wait for the seconds that Retry-After names.")
_TOO_MANY = (429, "rate_limited", "Too many requests. Wait for the seconds that Retry-After names.")

# What the gateway refuses by itself, in the form of the functions' errors: status (None keeps its own), code, message.
_REFUSALS: dict[str, tuple[int | None, str, str]] = {
    "MISSING_AUTHENTICATION_TOKEN": _NO_ROUTE,  # the gateway's name for a path or method without a route
    "RESOURCE_NOT_FOUND": _NO_ROUTE,
    "BAD_REQUEST_BODY": (400, "invalid_json", "The body is not a JSON object."),
    "BAD_REQUEST_PARAMETERS": _MALFORMED,
    "UNSUPPORTED_MEDIA_TYPE": (400, "invalid_request", "Send the body as application/json."),
    "REQUEST_TOO_LARGE": _TOO_LARGE,
    "THROTTLED": _AT_ONCE,
    "QUOTA_EXCEEDED": _TOO_MANY,
    "UNAUTHORIZED": _INVALID_KEY,
    "INVALID_SIGNATURE": _INVALID_KEY,  # an Authorization header in AWS's own form
    "EXPIRED_TOKEN": _INVALID_KEY,
    "INVALID_API_KEY": _INVALID_KEY,
    "ACCESS_DENIED": _FORBIDDEN,
    "WAF_FILTERED": _FORBIDDEN,
    "DEFAULT_4XX": (None, "invalid_request", "The request could not be read."),
    "INTEGRATION_FAILURE": _FAILED,
    "INTEGRATION_TIMEOUT": (500, "internal_error", "The request took too long. Try again."),
    "DEFAULT_5XX": _FAILED,
}


def groups() -> dict[str, str]:
    """Return the function behind each first part of a path after /v1 ("conversations")."""
    found: dict[str, str] = {}
    for function, routes in routes_by_function().items():
        for route in routes:
            part = route.path.split("/")[2]
            if found.setdefault(part, function) != function:
                raise ValueError(
                    f"/v1/{part} is served by {found[part]} and {function}; one function serves a group"
                )
    return found


def text() -> str:
    """Return the document, one path or refusal a line."""
    paths = {"/": _NOT_FOUND, "/{proxy+}": _NOT_FOUND, "/v1": _NOT_FOUND, "/v1/{proxy+}": _NOT_FOUND}
    paths["/site"] = "site"
    served = _PAGES | {f"/v1/{part}": function for part, function in sorted(groups().items())}
    for root, function in served.items():
        paths[root] = paths[f"{root}/{{proxy+}}"] = function
    lines: dict[str, dict[str, object]] = {
        "paths": {
            path: dict.fromkeys(_METHODS, _integration(function))
            | dict.fromkeys(_UNSERVED_METHODS, _integration(_NOT_FOUND))
            | ({"head": _integration(function)} if path in _READ_BY_HEAD else {})
            for path, function in paths.items()
        },
        "x-amazon-apigateway-gateway-responses": {
            name: _refusal(*refusal) for name, refusal in _REFUSALS.items()
        },
    }
    sections = [
        '"openapi": "3.0.1"',
        '"info": {"title": {"Fn::Sub": "${AWS::StackName}-api"}, "version": "1"}',
        *(
            f'"{section}": {{\n'
            + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in members.items())
            + "\n}"
            for section, members in lines.items()
        ),
    ]
    return "{\n" + ",\n".join(sections) + "\n}\n"


def logical_id(function: str) -> str:
    """Return the name of a function's folder as the template's logical ids begin: agent_settings, AgentSettings."""
    return "".join(word.capitalize() for word in function.split("_"))


def _integration(function: str) -> dict[str, object]:
    uri = (
        "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/"
        f"${{{logical_id(function)}Function.Arn}}/invocations"
    )
    return {
        "x-amazon-apigateway-integration": {
            "type": "aws_proxy",
            "httpMethod": "POST",
            "uri": {"Fn::Sub": uri},
        }
    }


def _refusal(status: int | None, code: str, message: str) -> dict[str, object]:
    headers = {"gatewayresponse.header.x-request-id": "context.requestId"}
    if status == 429:
        headers["gatewayresponse.header.Retry-After"] = "'1'"
    body = json.dumps({"error": {"code": code, "message": message}}, separators=(",", ":"))
    return {
        **({"statusCode": str(status)} if status else {}),  # the gateway documents a string
        "responseParameters": headers,
        "responseTemplates": {"application/json": body},
    }


def main(arguments: list[str]) -> int:
    """Write the file, or with --check return 1 where it is not what the routes say."""
    wanted = text()
    current = API.read_text(encoding="utf-8") if API.exists() else ""
    if "--check" in arguments:
        if current != wanted:
            print(
                "template/generated/api.json is not what the routes say. Run: make openapi", file=sys.stderr
            )
        return int(current != wanted)
    if current != wanted:
        API.write_text(wanted, encoding="utf-8")
        print("Written: template/generated/api.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
