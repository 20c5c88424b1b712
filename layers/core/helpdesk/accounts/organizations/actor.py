"""Who acts, by the name that the team and a thread show."""

from functools import cached_property

from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.admission.caller import Caller


class Actor:
    """A person, or the organization if a secret key acts. `person_id` is None for a key."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.person_id = caller.person.id if caller.person else None

    @cached_property
    def name(self) -> str:
        """The name that the thread shows. That of an organization costs one read, once."""
        if self._caller.person is not None:
            return self._caller.person.name
        return organizations.name_of(self._caller.organization)
