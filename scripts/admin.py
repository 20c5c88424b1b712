"""The operator's command line, for any stack: `python -m scripts.admin --help`.

It writes to the stack's table with the operator's own AWS credentials, through the same rules as the API. It finds the
stack by name, so nothing has to be copied from a console. What only one command needs is imported by that command: the
libraries of the index alone take longer than most commands.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from helpdesk.accounts import provisioning
from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.api.admission.caller import Role
from helpdesk.api.admission.limits import Plan
from helpdesk.api.logs import service as logs
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from scripts import operate_apps, operate_mail, stack_queues
from scripts.migrations import runner
from scripts.operator_errors import OperatorError

DEFAULT_STACK = "helpdesk-dev"


def use_stack(
    stack_name: str, *, region: str | None = None, endpoint_url: str | None = None
) -> dict[str, str]:
    """Use a stack's table and queues in this process, and return its parameters.

    Raises OperatorError if there is no such stack.
    """
    if region:
        os.environ["AWS_DEFAULT_REGION"] = region
    if endpoint_url:
        os.environ["AWS_ENDPOINT_URL"] = endpoint_url
    try:
        cloudformation: Any = Session().create_client("cloudformation")
        stacks = cloudformation.describe_stacks(StackName=stack_name)["Stacks"]
    except (BotoCoreError, ClientError) as error:
        raise OperatorError(
            f"Cannot read the stack {stack_name!r} ({error}). Check --stack-name, --region and your AWS credentials. "
            "For the local stack, use any credentials and: --stack-name helpdesk-local --region us-east-1 "
            "--endpoint-url http://127.0.0.1:4566"
        ) from None
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stacks[0].get("Outputs", [])}
    if "TableName" not in outputs:
        raise OperatorError(f"The stack {stack_name!r} has no output TableName. Is it a Helpdesk stack?")
    os.environ["TABLE_NAME"] = outputs["TableName"]
    given = {each["ParameterKey"]: each["ParameterValue"] for each in stacks[0].get("Parameters", [])}
    os.environ["BASE_URL"] = given.get("BaseUrl") or outputs.get("ApiUrl", "")
    stack_queues.use_queues(outputs)
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        # botocore itself reads AWS_DEFAULT_REGION alone; the AWS CLI reads AWS_REGION first.
        region = options.region or os.environ.get("AWS_REGION")
        options.parameters = use_stack(options.stack_name, region=region, endpoint_url=options.endpoint_url)
        result = options.run(options)
    except runner.SchemaTooNew:
        print(
            "A newer version of Helpdesk migrated this table. Deploy and run that version.", file=sys.stderr
        )
        return 1
    except (OperatorError, AppError, BotoCoreError, ClientError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2))
    return 0


def _create_organization(options: argparse.Namespace) -> dict[str, str]:
    created = provisioning.create_organization(
        name=options.name,
        slug=options.slug,
        owner_name=options.owner_name,
        owner_email=options.owner_email,
        plan=Plan(options.plan or Plan.PRO),
        api_limits=options.api_limits or options.plan is None,
        unlimited_api=options.unlimited_api,
    )
    print("Save the keys now. They are not stored and cannot be shown again.", file=sys.stderr)
    return created.model_dump()


def _set_plan(options: argparse.Namespace) -> dict[str, str]:
    tier = organizations.set_plan(
        options.organization_id,
        Plan(options.plan),
        api_limits=options.api_limits,
        unlimited_api=options.unlimited_api,
    )
    return {"organization_id": options.organization_id, "tier": tier.value}


def _add_member(options: argparse.Namespace) -> dict[str, str]:
    person = members.admit(options.organization_id, options.email, options.name or "", Role(options.role))
    return {"organization_id": options.organization_id, "user_id": person.id, "role": options.role}


def _issue_token(options: argparse.Namespace) -> dict[str, str]:
    token = provisioning.issue_token(options.organization_id, options.email, hours=options.hours)
    print(
        f"For the local stack and emergencies. Anyone with this token can act as this person for {options.hours} h. "
        "It is not stored and cannot be renewed. To revoke it early, remove the member.",
        file=sys.stderr,
    )
    return {"organization_id": options.organization_id, "access_token": token}


def _import_key(options: argparse.Namespace) -> dict[str, str]:
    key_id = secret_keys.import_legacy(options.organization_id, options.name, options.sha256)
    return {"organization_id": options.organization_id, "key_id": key_id}


def _reindex(options: argparse.Namespace) -> dict[str, int]:
    from scripts.reindex import reindex

    return reindex(options.organization_id)


def _facts(options: argparse.Namespace) -> dict[str, int]:
    from scripts.facts import write_facts

    return write_facts(options.organization_id)


def _export_analytics(_: argparse.Namespace) -> dict[str, int]:
    from scripts.export_analytics import mark_everything

    return mark_everything()


def _reindex_knowledge(options: argparse.Namespace) -> dict[str, int]:
    from scripts.reindex import reindex_knowledge

    return reindex_knowledge(options.organization_id)


def _erase_customer(options: argparse.Namespace) -> dict[str, Any]:
    from helpdesk.privacy import service as privacy

    if not options.yes:
        question = f"Erase {options.customer_id} and all their data? This cannot be undone. [y/N] "
        print(question, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise OperatorError("Nothing was erased. Answer y, or use --yes.")
    receipt = privacy.requested(options.organization_id, options.customer_id, actor=logs.SYSTEM)
    return receipt.model_dump(by_alias=True)


def _redrive(options: argparse.Namespace) -> dict[str, int | str]:
    from scripts.redrive import redrive

    return redrive(options.queue)


def _replay(options: argparse.Namespace) -> dict[str, int]:
    from scripts.replay import replay

    return replay(options.since, options.until if options.until is not None else clock.now_ms())


def _migrate(options: argparse.Namespace) -> dict[str, Any]:
    from scripts.migrations.versions import MIGRATIONS

    if options.check:
        waiting = [f"{version}. {each.title}" for version, each in runner.pending(MIGRATIONS)]
        return {"schema": runner.current().version, "pending": waiting}
    changed = runner.migrate(MIGRATIONS, lambda line: print(line, file=sys.stderr))
    return {"schema": runner.current().version, "changed": changed}


def _add_import_key(commands: Any) -> None:
    key = commands.add_parser("import-key", help="import a secret key of the previous key format")
    key.add_argument("organization_id", metavar="ORGANIZATION_ID")
    key.add_argument("--name", required=True, help="what the key is for, up to 40 characters")
    key.add_argument(
        "--sha256", required=True, metavar="HEX", help="the SHA-256 of the whole key, in hexadecimal"
    )
    key.set_defaults(run=_import_key)


def _add_replay(commands: Any) -> None:
    lost = commands.add_parser(
        "replay", help="queue again what the stream or a queue lost in a time, such as while Fanout was off"
    )
    lost.add_argument(
        "--from", dest="since", required=True, type=_instant, metavar="TIME", help="such as 2026-01-31T09:00Z"
    )
    lost.add_argument("--to", dest="until", type=_instant, metavar="TIME", help="default: now")
    lost.set_defaults(run=_replay)


def _add_facts(commands: Any) -> None:
    rows = commands.add_parser(
        "facts",
        help="write the rows of analytics that are missing",
    )
    rows.add_argument(
        "organization_id", metavar="ORGANIZATION_ID", nargs="?", help="one alone; all unless given"
    )
    rows.set_defaults(run=_facts)
    commands.add_parser(
        "export-analytics", help="have all of analytics exported in the next night, once the export is on"
    ).set_defaults(run=_export_analytics)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.admin", description="Operate a Helpdesk stack.")
    parser.add_argument(
        "--stack-name", default=DEFAULT_STACK, help="the CloudFormation stack (default %(default)s)"
    )
    parser.add_argument("--region", help="the stack's AWS region (default: from your AWS configuration)")
    parser.add_argument("--endpoint-url", help="another AWS endpoint, such as that of the local stack")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    create = commands.add_parser(
        "create-organization", help="create an organization with an owner, a secret key and a publishable key"
    )
    create.add_argument("--name", required=True, help="the name that customers see")
    create.add_argument("--slug", required=True, help="3 to 32 lowercase letters, digits and single dashes")
    create.add_argument("--owner-name", required=True)
    create.add_argument("--owner-email", required=True)
    _add_plan(create)
    create.set_defaults(run=_create_organization)

    plan = commands.add_parser("set-plan", help="change an organization's plan; its limits change at once")
    plan.add_argument("organization_id", metavar="ORGANIZATION_ID")
    _add_plan(plan, required=True)
    plan.set_defaults(run=_set_plan)

    member = commands.add_parser("add-member", help="add a member; creates the person if necessary")
    member.add_argument("organization_id", metavar="ORGANIZATION_ID")
    member.add_argument("--email", required=True, help="the person's sign-in address")
    member.add_argument(
        "--name", help="the name of a new person (default: the part of the address before the @)"
    )
    member.add_argument("--role", required=True, choices=[role.value for role in Role])
    member.set_defaults(run=_add_member)

    token = commands.add_parser(
        "issue-token", help="print an access token for a member; for the local stack and emergencies"
    )
    token.add_argument("organization_id", metavar="ORGANIZATION_ID")
    token.add_argument("--email", required=True, help="the member's address")
    token.add_argument(
        "--hours",
        type=_hours,
        default=1,
        help=f"lifetime in hours, at most {provisioning.MAX_TOKEN_HOURS} (default %(default)s)",
    )
    token.set_defaults(run=_issue_token)

    _add_import_key(commands)

    erase = commands.add_parser(
        "erase-customer", help="erase a customer and all their data; prints the receipt"
    )
    erase.add_argument("organization_id", metavar="ORGANIZATION_ID")
    erase.add_argument("customer_id", metavar="CUSTOMER_ID")
    erase.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    erase.set_defaults(run=_erase_customer)

    again = commands.add_parser(
        "redrive", help="move a queue's dead letters back to it, after you have fixed their cause"
    )
    again.add_argument(
        "queue", metavar="QUEUE", choices=[*stack_queues.QUEUES, stack_queues.FANOUT, stack_queues.FACTS]
    )
    again.set_defaults(run=_redrive)
    _add_replay(commands)

    index = commands.add_parser(
        "reindex",
        help="add what an organization's search index lacks, and vectors of titles of another EmbeddingModelId",
    )
    index.add_argument("organization_id", metavar="ORGANIZATION_ID")
    index.set_defaults(run=_reindex)

    knowledge = commands.add_parser(
        "reindex-knowledge",
        help="index an organization's documents again, after you changed EmbeddingModelId or the changelog says so",
    )
    knowledge.add_argument("organization_id", metavar="ORGANIZATION_ID")
    knowledge.set_defaults(run=_reindex_knowledge)

    _add_facts(commands)
    operate_apps.add_commands(commands)
    operate_mail.add_commands(commands)

    migrate = commands.add_parser(
        "migrate", help="update the items that an earlier version wrote; run it after each deployment"
    )
    migrate.add_argument("--check", action="store_true", help="change nothing, print what is pending")
    migrate.set_defaults(run=_migrate)
    return parser


def _hours(text: str) -> int:
    hours = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= hours <= provisioning.MAX_TOKEN_HOURS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {provisioning.MAX_TOKEN_HOURS}")
    return hours


def _instant(text: str) -> int:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("must be a time such as 2026-01-31T09:00Z") from None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000)


def _add_plan(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    # A company that hosts Helpdesk for itself sells no plans, so the highest tier with limits is the default.
    default = "" if required else " (default: pro with the API limits add-on)"
    parser.add_argument(
        "--plan", choices=[plan.value for plan in Plan], required=required, help=f"the plan{default}"
    )
    parser.add_argument(
        "--api-limits", action="store_true", help="with the API limits add-on, which raises the tier by one"
    )
    parser.add_argument("--unlimited-api", action="store_true", help="with the unlimited API add-on")


if __name__ == "__main__":
    sys.exit(main())
