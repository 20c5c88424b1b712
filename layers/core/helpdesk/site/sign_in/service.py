"""How visitors of the help site sign in: what admins read and change (Specification: PATCH /site/sign-in)."""

from copy import replace

from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.admission import waits
from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.outbound import addresses
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.settings import settings
from helpdesk.platform.text import trimmed
from helpdesk.site.sign_in import discovery, repository
from helpdesk.site.sign_in.discovery import Discovered
from helpdesk.site.sign_in.errors import MAX_CLIENT_ID_CHARACTERS, MAX_CLIENT_SECRET_CHARACTERS
from helpdesk.site.sign_in.record import SiteClientSecret
from helpdesk.site.sign_in.repository import StaleSettings
from helpdesk.site.sign_in.schemas import (
    ProviderInput,
    SignInAnswer,
    SignInUpdate,
)
from helpdesk.site.visitors.record import Provider, SignInMethod, SitePlace, SiteSignIn, of_slug
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

HINT_CHARACTERS = 4


def get(organization: str, base_url: str) -> SignInAnswer:
    """Return the sign-in settings; visitors get a code by mail until someone sets something else."""
    return _answer(organization, repository.settings(organization), base_url)


def change(caller: Caller, wanted: SignInUpdate, base_url: str) -> SignInAnswer:
    """Save the sign-in settings. Visitors who signed in another way are signed out.

    The provider's discovery document is read before anything is written. Raises InvalidRequest, InvalidUrl,
    DiscoveryFailed, and RateLimited while too many requests wait for other servers.
    """
    organization = caller.organization
    app_url = None if wanted.app_url is None else _require_app_url(wanted.app_url)
    found = None
    if wanted.oidc is not None:
        _require_client(wanted.oidc)
        _require_secret(wanted.oidc, repository.settings(organization))  # before the provider is asked
        with waits.on_others(organization, caller.tier, discovery.DEADLINE_SECONDS):
            found = discovery.discover(wanted.oidc.issuer)

    def attempt() -> SiteSignIn:
        before = repository.settings(organization)
        after = _after(before, wanted, app_url, found)
        transaction = Transaction()
        after = transaction.save(before, after, on_failure=StaleSettings)
        if wanted.oidc is not None and wanted.oidc.client_secret is not None:
            secret = wanted.oidc.client_secret
            transaction.put(SiteClientSecret(organization=organization, secret=secret))
        transaction.put(
            logs.entry(
                organization,
                LogKind.SETTINGS_CHANGED,
                actor=caller.actor,
                summary=f"Sign-in to the help site was saved: {after.method.value}.",
                settings=[f"site.signIn.{name}" for name in _sent(wanted)],
            )
        )
        transaction.commit()
        return after

    return _answer(organization, repeat_when_stale(attempt, StaleSettings), base_url)


def _sent(wanted: SignInUpdate) -> list[str]:
    """Return the names of the fields that were sent."""
    return sorted(wanted.model_dump(by_alias=True, exclude_none=True))


def redirect_uri(site: SitePlace) -> str:
    """Return the redirect URI to register at the provider."""
    return f"{site.root}/sign-in/callback"


def _after(
    before: SiteSignIn, wanted: SignInUpdate, app_url: str | None, found: Discovered | None
) -> SiteSignIn:
    provider = before.provider
    if wanted.oidc is not None and found is not None:
        provider = _provider(before, wanted.oidc, found)
    after = replace(
        before,
        method=wanted.method,
        app_url=app_url or before.app_url,
        provider=provider,
        problem=None,
    )
    if after.method is SignInMethod.APP and after.app_url is None:
        raise InvalidRequest("`appUrl` is required when you first set the method to `app`.")
    if after.method is SignInMethod.OIDC and after.provider is None:
        raise InvalidRequest("`oidc` is required when you first set the method to `oidc`.")
    return replace(after, epoch=before.epoch + _is_another_way(before, after))


def _is_another_way(before: SiteSignIn, after: SiteSignIn) -> bool:
    """Return whether visitors sign in another way now: by another method, or at another provider."""
    if after.method is not before.method:
        return True
    was, now = before.provider, after.provider
    return after.method is SignInMethod.OIDC and (was and was.issuer) != (now and now.issuer)


def _provider(before: SiteSignIn, sent: ProviderInput, found: Discovered) -> Provider:
    _require_secret(sent, before)
    known = before.provider
    hint = known.secret_hint if known is not None else ""
    if sent.client_secret is not None:
        hint = sent.client_secret[-HINT_CHARACTERS:]
    return Provider(
        issuer=sent.issuer,
        client_id=sent.client_id,
        secret_hint=hint,
        authorization=found.authorization,
        token=found.token,
        jwks=found.jwks,
        userinfo=found.userinfo,
        secret_in_body=found.secret_in_body,
        names_issuer=found.names_issuer,
    )


def _require_secret(sent: ProviderInput, before: SiteSignIn) -> None:
    """Require a secret the first time, and for another issuer: the saved one is for the saved issuer alone."""
    if sent.client_secret is not None:
        return
    if before.provider is None:
        raise InvalidRequest("`oidc.clientSecret` is required when you first set `oidc`.")
    if before.provider.issuer != sent.issuer:
        raise InvalidRequest("`oidc.clientSecret` is required when you change `oidc.issuer`.")


def _require_client(sent: ProviderInput) -> None:
    if not _is_printable(sent.client_id, MAX_CLIENT_ID_CHARACTERS):
        raise InvalidRequest(
            f"`oidc.clientId` must be 1 to {MAX_CLIENT_ID_CHARACTERS} printable ASCII characters without spaces."
        )
    secret = sent.client_secret
    if secret is not None and not _is_printable(secret, MAX_CLIENT_SECRET_CHARACTERS):
        raise InvalidRequest(
            f"`oidc.clientSecret` must be 1 to {MAX_CLIENT_SECRET_CHARACTERS} printable ASCII characters without "
            "spaces."
        )


def _is_printable(text: str, most: int) -> bool:
    return 0 < len(text) <= most and all("!" <= character <= "~" for character in text)


def _require_app_url(url: str) -> str:
    try:
        return addresses.parse(trimmed(url), allow_loopback=settings().allow_loopback_urls).url
    except InvalidUrl as error:
        raise InvalidUrl(f"`appUrl` can't be used. {error.message}") from None


def _answer(organization: str, saved: SiteSignIn, base_url: str) -> SignInAnswer:
    slug = organizations.get(organization).slug
    return SignInAnswer.from_record(
        saved,
        oidc=saved.provider,
        oidc_redirect_uri=redirect_uri(of_slug(organization, slug, base_url)),
    )
