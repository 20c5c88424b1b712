"""Requests and responses of sign-in (Specification: Sign-in settings; PATCH /site/sign-in)."""

from typing import Annotated

from pydantic import ConfigDict, Field

from helpdesk.api.http.schemas import Answer, Body, Form, Milliseconds, Query, schema_hint
from helpdesk.site.sign_in.errors import (
    MAX_CLIENT_ID_CHARACTERS,
    MAX_CLIENT_SECRET_CHARACTERS,
    MAX_ISSUER_CHARACTERS,
)
from helpdesk.site.visitors.record import SignInMethod

SentMethod = Annotated[SignInMethod, Field(strict=False)]
"""A method as JSON has it, which is text."""


class ProviderInput(Body):
    """An OpenID Connect provider."""

    issuer: Annotated[str, schema_hint(maxLength=MAX_ISSUER_CHARACTERS)]
    """Its issuer, exactly as its discovery document says it."""
    client_id: Annotated[str, schema_hint(minLength=1, maxLength=MAX_CLIENT_ID_CHARACTERS)]
    """The ID of your client there."""
    client_secret: Annotated[str | None, schema_hint(minLength=1, maxLength=MAX_CLIENT_SECRET_CHARACTERS)] = (
        None
    )
    """The client's secret. Omit it to keep the one that is saved. It is never shown."""


class SignInUpdate(Body):
    """The body of PATCH /site/sign-in."""

    method: SentMethod
    """How visitors sign in. `median`: with a code by mail; `app`: in your app; `oidc`: at a provider."""
    app_url: str | None = None
    """The sign-in route of your app, https. Required the first time that the method is `app`."""
    oidc: ProviderInput | None = None
    """The provider. Required the first time that the method is `oidc`."""


class ProviderShape(Answer):
    """The OpenID Connect provider that is saved."""

    issuer: str
    client_id: str
    secret_hint: str
    """The last four characters of the client secret."""


class ProblemShape(Answer):
    """Why the provider refused the last sign-in."""

    at: Milliseconds
    code: str
    """The provider's code, or ours where the provider gave none."""
    message: str
    """What to change."""
    detail: str | None
    """The provider's words; null if it said none."""


class SignInAnswer(Answer):
    """How visitors of the help site sign in."""

    method: SignInMethod
    app_url: str | None
    """The sign-in route of your app; null until one is saved."""
    oidc: ProviderShape | None
    """The provider; null until one is saved."""
    oidc_redirect_uri: str
    """The redirect URI to register at the provider. It changes with the organization's slug."""
    problem: ProblemShape | None
    """Cleared when a sign-in works or the settings are saved."""


class SignInQuery(Query):
    """The parameters of the sign-in page."""

    to: str = ""
    """The path below the site to go to afterwards."""
    why: str = ""
    """Why the last sign-in did not work."""


class BeginForm(Form):
    """The form that begins a sign-in."""

    csrf: str = ""
    to: str = ""
    email: str = ""


class CodeForm(Form):
    """The form with the code that was mailed."""

    csrf: str = ""
    to: str = ""
    handle: str = ""
    code: str = ""


class SignOutForm(Form):
    """The form that signs out."""

    csrf: str = ""
    to: str = ""


class TokenForm(Form):
    """What a customer's app sends with the browser."""

    token: str = ""


class IdentifyForm(Form):
    """What the chat widget sends with a token of the customer's app, or without one to sign out."""

    csrf: str = ""
    token: str = ""


class FinishQuery(Query):
    """The parameters of the page that finishes a sign-in in the customer's app."""

    token: str = ""


class CallbackQuery(Query):
    """What a provider sends back with the browser (OpenID Connect Core, section 3.1.2; RFC 9207)."""

    model_config = ConfigDict(alias_generator=None)

    code: str = ""
    state: str = ""
    iss: str = ""
    error: str = ""
    error_description: str = ""
