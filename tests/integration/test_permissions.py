"""A call that a function's role refuses fails the test that made it, and a grant that no test used fails a run."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpdesk.conversations.files import store
from helpdesk.conversations.record import Conversation
from helpdesk.storage import table
from tests.support.permissions import require_allowed, running
from tests.support.template import ROOT

CONVERSATION = Conversation.key_for("org_1", "conv_1")
REFUSED = r"^The role of messages refuses dynamodb:DeleteItem on \$\{Table.Arn\} for ORG#x#CONV#x\.$"


def test_a_refused_call_fails_its_test() -> None:
    running("messages", table.delete)(CONVERSATION)

    with pytest.raises(pytest.fail.Exception, match=REFUSED):
        require_allowed()
    require_allowed()


def test_a_threads_call_is_its_functions() -> None:
    def in_a_thread() -> None:
        with ThreadPoolExecutor() as pool:
            pool.submit(table.delete, CONVERSATION).result()

    running("messages", in_a_thread)()

    with pytest.raises(pytest.fail.Exception, match=REFUSED):
        require_allowed()


def test_a_call_of_the_test_itself_is_nobodys_also_while_a_handler_runs() -> None:
    running("messages", lambda: table.delete(CONVERSATION))()
    table.delete(CONVERSATION)

    require_allowed()


def test_what_a_function_signs_for_others_is_its_call() -> None:
    running("analytics", store.download_url)("org_1", "file_1", "a.png", "image/png")
    running("analytics", store.upload_form)("org_1", "file_1")

    with pytest.raises(pytest.fail.Exception) as failure:
        require_allowed()
    assert str(failure.value) == (
        "The role of analytics refuses s3:GetObject on ${FilesBucket.Arn}/org_1/file_1.\n"
        "The role of analytics refuses s3:PutObject on ${FilesBucket.Arn}/incoming/org_1/file_1."
    )


def test_a_function_that_asks_for_a_missing_object_may_list_its_bucket() -> None:
    assert running("integration_worker", store.kept)("org_1", "file_1") is None

    with pytest.raises(pytest.fail.Exception, match=r"refuses s3:ListBucket on \$\{FilesBucket.Arn\}\."):
        require_allowed()


def test_a_run_fails_for_what_the_template_grants_and_no_test_used(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "from tests.support.grants import Grant, used\n"
        "def test_uses_one():\n"
        "    used.add(Grant('Hooks', 'dynamodb:PutItem', 'HOOK#*'))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.grants", str(tmp_path)]
    run = subprocess.run([*command, "--unused-grants"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert (
        "  Hooks: dynamodb:GetItem on ${Table.Arn}\n  Hooks: dynamodb:GetItem on APPSECRET#*\n" in run.stdout
    )
    assert "Hooks: dynamodb:PutItem on HOOK#*" not in run.stdout
    assert "sqs:ReceiveMessage" not in run.stdout  # Lambda's part
