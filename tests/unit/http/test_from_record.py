"""Records as responses."""

from helpdesk.api.http.schemas import Answer
from helpdesk.platform.record import Record
from helpdesk.storage.actor_name import ActorName


class Note(Record):
    text: str
    created_by_name: ActorName | None


class NoteShape(Answer):
    text: str
    created_by: str | None
    created_by_name: str | None


def test_the_id_of_who_did_something_is_the_one_beside_the_name() -> None:
    by_ada = NoteShape.from_record(Note("Call back.", ActorName("Ada", "usr_1")))
    by_nobody = NoteShape.from_record(Note("Call back.", None))

    assert by_ada.model_dump() == {"text": "Call back.", "created_by": "usr_1", "created_by_name": "Ada"}
    assert by_nobody.model_dump() == {"text": "Call back.", "created_by": None, "created_by_name": None}
