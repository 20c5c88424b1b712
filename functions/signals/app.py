"""/v1/signals: bugs and suggestions, who reported them, and commits that may finish them."""

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.integrations.errors import (
    GitHubNotConnected,
    IssueNotFound,
    IssueRepoMissing,
    LinearFailed,
    LinearNotConnected,
    TeamNotFound,
)
from helpdesk.integrations.github import issue_settings as issues
from helpdesk.integrations.github.schemas import IssueLinkAnswer, IssueLinkInput
from helpdesk.integrations.linear import service as linear
from helpdesk.integrations.linear.schemas import LinkAnswer, LinkInput
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.progress import merging, signal_moves
from helpdesk.signals import commits, filing, listing, similar
from helpdesk.signals.errors import CommitNotFound, SignalEmpty, SignalExists, SignalNotFound, TitleRequired
from helpdesk.signals.schemas import (
    CommitAdded,
    CommitInput,
    MergeInput,
    ReportInput,
    SignalAnswer,
    SignalChanged,
    SignalFiled,
    SignalInput,
    SignalQuery,
    SignalsAnswer,
    SignalsQuery,
    SignalUpdate,
    SimilarAnswer,
    SimilarQuery,
)
from helpdesk.signals.shapes import SignalShape

NEEDS = declare("BASE_URL", "FILES_BUCKET", "SEARCH_BUCKET", "EMBEDDING_MODEL_ID", "BEDROCK_ENDPOINT_URL")

api = Api()

_REPORTING = (ConversationNotFound, CustomerNotFound, AttachmentMissing, AttachmentWrongType)


@api.get("/v1/signals", access=Access.MEMBER, errors=(InvalidCursor,))
def list_signals(caller: Caller, query: SignalsQuery) -> SignalsAnswer:
    """List signals, newest first. Filter by kind, status, priority or words."""
    return listing.newest(caller, query)


@api.post("/v1/signals", access=Access.MEMBER, errors=(SignalEmpty, TitleRequired, SignalExists, *_REPORTING))
def file_signal(caller: Caller, signal: SignalInput) -> SignalFiled:
    """File a bug or a suggestion, with its first reporter if you name one."""
    return SignalFiled(id=filing.file(caller.organization, caller.actor, signal).id)


@api.get("/v1/signals/similar", access=Access.MEMBER)
def find_similar_signals(caller: Caller, query: SimilarQuery) -> SimilarAnswer:
    """Find up to five signals with a similar title, also in other words. Call it before you file one."""
    found = similar.find(caller.organization, query.title)
    return SimilarAnswer(signals=[SignalShape.from_record(each) for each in found])


@api.get("/v1/signals/<signal_id>", access=Access.MEMBER, errors=(SignalNotFound, InvalidCursor))
def get_signal(caller: Caller, signal_id: str, query: SignalQuery) -> SignalAnswer:
    """Get a signal with its reporters and commits. A merged signal returns 404 with the ID of the one that stays."""
    return listing.get(caller, signal_id, query)


@api.patch(
    "/v1/signals/<signal_id>", access=Access.MEMBER, errors=(SignalNotFound, TitleRequired, SignalExists)
)
def update_signal(caller: Caller, signal_id: str, change: SignalUpdate) -> SignalChanged:
    """Update a signal. Its card moves with its status, and `done` sends a message to each reporter once."""
    return SignalChanged(
        signal=SignalShape.from_record(signal_moves.change_signal(caller, signal_id, change))
    )


@api.post("/v1/signals/<signal_id>/merge", access=Access.MEMBER, errors=(SignalNotFound,))
def merge_signals(caller: Caller, signal_id: str, merge: MergeInput) -> Ok:
    """Merge a duplicate into this signal. Its reporters, commits and posts move here, and its titles become aliases."""
    merging.merge(caller.organization, caller.actor, signal_id, merge.duplicate_id)
    return OK


@api.post("/v1/signals/<signal_id>/reports", access=Access.MEMBER, errors=(SignalNotFound, *_REPORTING))
def report_signal(caller: Caller, signal_id: str, report: ReportInput) -> SignalChanged:
    """Add a reporter to a signal. The same customer again adds their conversation, and keeps their first words."""
    return SignalChanged(
        signal=SignalShape.from_record(filing.report(caller.organization, caller.actor, signal_id, report))
    )


@api.post(
    "/v1/signals/<signal_id>/tracker",
    access=Access.MEMBER,
    status=202,
    errors=(SignalNotFound, LinearNotConnected, TeamNotFound, LinearFailed),
)
def track_signal(caller: Caller, signal_id: str, wanted: LinkInput) -> LinkAnswer:
    """Open an issue for a signal in the tracker, or link one. It takes seconds."""
    return linear.link(caller.organization, signal_id, wanted)


@api.post(
    "/v1/signals/<signal_id>/codehost",
    access=Access.MEMBER,
    status=202,
    errors=(SignalNotFound, IssueRepoMissing, GitHubNotConnected, IssueNotFound),
)
def link_signal_issue(caller: Caller, signal_id: str, wanted: IssueLinkInput) -> IssueLinkAnswer:
    """Link an existing issue of the code host. The signal has it within seconds, and both move together."""
    return issues.ask_for_link(caller.organization, signal_id, wanted.number)


@api.post("/v1/signals/<signal_id>/commits", access=Access.MEMBER, errors=(SignalNotFound,))
def add_signal_commit(caller: Caller, signal_id: str, commit: CommitInput) -> CommitAdded:
    """Add a commit that may finish the signal. It changes nothing else until it is applied."""
    return CommitAdded(id=commits.add(caller.organization, signal_id, commit).id)


@api.post(
    "/v1/signals/<signal_id>/commits/<commit_id>/apply",
    access=Access.MEMBER,
    errors=(SignalNotFound, CommitNotFound),
)
def apply_signal_commit(caller: Caller, signal_id: str, commit_id: str) -> SignalChanged:
    """Apply a commit: it finished the signal. The signal and its card become done."""
    return SignalChanged(
        signal=SignalShape.from_record(signal_moves.apply_commit(caller, signal_id, commit_id))
    )


handler = api.handler
