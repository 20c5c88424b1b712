"""Where an organization's help site is."""

from urllib.parse import urlsplit

from helpdesk.platform.record import Record


class SitePlace(Record):
    """An organization's help site as its visitors reach it.

    root  its address without a slash at the end: https://support.example.com/site/acme
    """

    organization: str
    root: str

    @property
    def path(self) -> str:
        """The path with which every link of the site begins."""
        return urlsplit(self.root).path

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def is_secure(self) -> bool:
        """Whether visitors reach it over https."""
        return self.root.startswith("https:")


def of_slug(organization: str, slug: str, base_url: str) -> SitePlace:
    """Return the place of the site of an organization with a slug, below the address of the API."""
    return SitePlace(organization, f"{base_url}/site/{slug}")
