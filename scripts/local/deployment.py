"""`sam deploy` of template.yaml into the emulator, only when the build or a parameter changed."""

import contextlib
import json
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from scripts.local import build, packing
from scripts.local.progress import Problem, Progress
from scripts.local.settings import ACCOUNT, BASE_PATH, HOST, REGION, STACK_NAME, StackSettings

DEPLOY_SECONDS = 300
# A deployment continues in the emulator when SAM CLI is interrupted. One that a restart interrupts never ends.
_UNFINISHED_SECONDS = 20
_ARTIFACT_BUCKET = "helpdesk-local-artifacts"
_LARGE_UPLOAD = 1_000_000  # bytes
# A stack in any other status is changing or has failed. Neither is usable after a restart.
_STABLE = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}
_COMPLETE = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


class HalfFinishedError(Exception):
    """The emulator holds a stack that an interrupted or failed deployment left, and that cannot be updated."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What is deployed: the build's fingerprint, the parameters and the template's outputs."""

    fingerprint: str
    parameters: dict[str, str]
    outputs: dict[str, str]


def client(service: str, settings: StackSettings) -> Any:
    """Return an AWS client for the emulator, independent of the developer's AWS settings."""
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=settings.endpoint_url,
        region_name=REGION,
        aws_access_key_id=ACCOUNT["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=ACCOUNT["AWS_SECRET_ACCESS_KEY"],
        config=Config(connect_timeout=5, read_timeout=60, retries={"total_max_attempts": 2}, proxies={}),
    )


def deploy(
    settings: StackSettings,
    record: Path,
    progress: Progress,
    *,
    when_built: Callable[[], None] = lambda: None,
) -> Deployment:
    """Deploy the current sources and parameters; `record` is the file that keeps what was deployed last.

    `when_built` is called between the build and the first request to the emulator.

    Errors: Problem when the deployment fails; HalfFinishedError when the emulator has to start from nothing.
    """
    parameters = settings.template_parameters()
    with build.built(progress) as (artifacts, fingerprint):
        when_built()
        status = _stable_status(settings)
        if status is not None and status not in _STABLE:
            raise HalfFinishedError(status)
        known = _load(record)
        if (
            known
            and status in _COMPLETE
            and (known.fingerprint, known.parameters) == (fingerprint, parameters)
        ):
            progress.say("Nothing to deploy: the stack is up to date.")
            return known
        record.unlink(missing_ok=True)
        progress.say("Deploying template.yaml into it (about ten seconds).")
        _create_bucket(settings)
        _sam_deploy(settings, packing.pack(artifacts, build.ARCHIVES), parameters)
        _remove_old_artifacts(settings)
    deployment = Deployment(fingerprint, parameters, _outputs(settings))
    if settings.auth:
        _grant_what_the_emulator_misjudges(settings)
    _map_short_address(settings, deployment.outputs["ApiId"])
    record.write_text(json.dumps(asdict(deployment), indent=2), encoding="utf-8")
    return deployment


def _stable_status(settings: StackSettings) -> str | None:
    """Return the stack's status (None: there is no stack), waiting a moment for a deployment in progress."""
    deadline = time.monotonic() + _UNFINISHED_SECONDS
    while True:
        status = _status(settings)
        if status is None or not status.endswith("_IN_PROGRESS") or time.monotonic() > deadline:
            return status
        time.sleep(0.5)


def _status(settings: StackSettings) -> str | None:
    try:
        [stack] = client("cloudformation", settings).describe_stacks(StackName=STACK_NAME)["Stacks"]
    except ClientError:
        return None
    return str(stack["StackStatus"])


def _outputs(settings: StackSettings) -> dict[str, str]:
    [stack] = client("cloudformation", settings).describe_stacks(StackName=STACK_NAME)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def _create_bucket(settings: StackSettings) -> None:
    s3 = client("s3", settings)
    with contextlib.suppress(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket=_ARTIFACT_BUCKET)


def _remove_old_artifacts(settings: StackSettings) -> None:
    """Delete the uploads that the deployed template does not name, and large ones, which are uploaded again if needed.

    What runs, the emulator keeps elsewhere.
    """
    template = client("cloudformation", settings).get_template(StackName=STACK_NAME)["TemplateBody"]
    deployed = template if isinstance(template, str) else json.dumps(template)
    s3 = client("s3", settings)
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=_ARTIFACT_BUCKET):
        for upload in page.get("Contents", []):
            if upload["Key"] not in deployed or upload["Size"] > _LARGE_UPLOAD:
                s3.delete_object(Bucket=_ARTIFACT_BUCKET, Key=upload["Key"])


def _sam_deploy(settings: StackSettings, template: Path, parameters: dict[str, str]) -> None:
    log_file = settings.folder / "deploy.log"
    # A value may contain commas or be empty, so each is quoted, as in SAM CLI's own settings file.
    overrides = [
        f"ParameterKey={name},ParameterValue={json.dumps(value)}" for name, value in parameters.items()
    ]
    command = [
        "sam",
        "deploy",
        "--template-file",
        str(template),
        "--stack-name",
        STACK_NAME,
    ]
    command += ["--s3-bucket", _ARTIFACT_BUCKET, "--region", REGION, "--no-confirm-changeset"]
    command += ["--no-fail-on-empty-changeset", "--no-progressbar"]
    command += ["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
    command += ["--parameter-overrides", *overrides]
    environment = build.tool_environment() | ACCOUNT | {"AWS_ENDPOINT_URL": settings.endpoint_url}
    environment["SAM_CLI_POLL_DELAY"] = "0.2"  # seconds; it waits 5 between two looks at the stack otherwise
    with log_file.open("w", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                command,
                # Not the project's folder: its samconfig.toml configures deployments to AWS.
                cwd=settings.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=DEPLOY_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Problem(f"sam deploy did not end within {DEPLOY_SECONDS} s; its log: {log_file}") from None
    if done.returncode != 0:
        raise Problem(f"sam deploy failed: {_reason(log_file)} (whole log: {log_file})")


def _reason(log: Path) -> str:
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    errors = [line for line in lines if line.startswith("Error") or "_FAILED" in line]
    return (errors or lines or ["it printed nothing"])[-1]


def _map_short_address(settings: StackSettings, api_id: str) -> None:
    """Serve the API at /helpdesk: the base path of a custom domain, which here is the loopback address.

    The address stays the same when a redeployment changes the API's id.
    """
    gateway = client("apigateway", settings)
    try:
        gateway.get_domain_name(domainName=HOST)
    except gateway.exceptions.NotFoundException:
        gateway.create_domain_name(domainName=HOST, endpointConfiguration={"types": ["REGIONAL"]})
    with contextlib.suppress(gateway.exceptions.NotFoundException):
        gateway.delete_base_path_mapping(domainName=HOST, basePath=BASE_PATH)
    stage = settings.template_parameters()["Stage"]
    gateway.create_base_path_mapping(domainName=HOST, basePath=BASE_PATH, restApiId=api_id, stage=stage)


_BATCHED = {"sqs:SendMessage", "sqs:ChangeMessageVisibility"}


def _grant_what_the_emulator_misjudges(settings: StackSettings) -> None:
    """Grant roles what the template grants them on AWS and the emulator refuses.

    On AWS, `sqs:SendMessage` and `sqs:ChangeMessageVisibility` cover batches too; the emulator requires actions for
    batches that AWS does not have. The emulator does not know the condition `ses:FromAddress` and treats it as not met.
    """
    resources = client("cloudformation", settings).describe_stack_resources(StackName=STACK_NAME)[
        "StackResources"
    ]
    physical = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}
    iam = client("iam", settings)
    grants = {
        role: [_granted("ses:SendEmail", "*")] for role in ("MailerRole", "OauthRole", "SiteSignInRole")
    }
    for logical, arn in physical.items():
        if logical.endswith("Policy") and ":policy/" in arn:
            version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
            role = f"{logical.removesuffix('Policy')}Role"
            grants[role] = [
                *grants.get(role, []),
                *(
                    _granted(f"{action}Batch", statement["Resource"])
                    for statement in document["Statement"]
                    for action in _BATCHED.intersection(_actions(statement))
                ),
            ]
    for role, statements in grants.items():
        if statements:
            iam.put_role_policy(
                RoleName=physical[role],
                PolicyName="local",
                PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": statements}),
            )


def _actions(statement: Mapping[str, Any]) -> list[str]:
    actions = statement["Action"]
    return [actions] if isinstance(actions, str) else actions


def _granted(action: str, resource: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource}


def _load(record: Path) -> Deployment | None:
    try:
        return Deployment(**json.loads(record.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
