"""docs/add-a-noun.md: the files that it shows work together, as one package."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.template import ROOT

PAGE = (ROOT / "docs" / "add-a-noun.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^`([\w/]+\.py)`:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
RECORD = """
import sys
import helpdesk
helpdesk.__path__.append(sys.argv[1] + "/helpdesk")
from helpdesk.announcements import schemas, service
from helpdesk.announcements.record import Announcement
from helpdesk.storage.actor_name import ActorName
announcement = Announcement(organization="org_1", id="ann_1", title="Outage", body="14 days", created_at=5,
                   created_by_name=ActorName("Ada", "usr_1"))
assert Announcement.from_item(announcement.to_item()) == announcement
print(announcement.key.pk, announcement.key.sk)
print(schemas.AnnouncementShape.from_record(announcement).model_dump_json(by_alias=True))
exec(open(sys.argv[1] + "/functions/announcements/app.py").read())
print(*(f"{route.method} {route.path}" for route in api.routes))
"""


def test_the_record_the_response_and_the_routes_are_those_of_the_walk_through(tmp_path: Path) -> None:
    for path, code in SHOWN.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code, encoding="utf-8")

    ran = subprocess.run(  # a process of its own, whose kinds of items nobody else sees
        [sys.executable, "-c", RECORD, str(tmp_path)],
        cwd=ROOT / "layers" / "core",
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stdout.splitlines() == [
        "ORG#org_1#ANNOUNCEMENTS ANNOUNCEMENT#ann_1",
        '{"id":"ann_1","title":"Outage","body":"14 days","createdAt":5,"createdBy":"usr_1","createdByName":"Ada"}',
        "POST /v1/announcements GET /v1/announcements DELETE /v1/announcements/<announcement_id>",
    ], ran.stderr
