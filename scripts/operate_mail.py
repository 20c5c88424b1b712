"""The operator's commands about mail: its state in Amazon SES, and addresses that SES suppresses."""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from scripts.operator_errors import OperatorError

NEWEST_SUPPRESSED = 20
QUEUES = ("mail", "outreach", "mail_events")
_REVIEWED = {"Reputation.BounceRate": 0.05, "Reputation.ComplaintRate": 0.001}
"""The rates from which on AWS reviews an account."""
_WATCHED = {"Reputation.BounceRate": 0.02, "Reputation.ComplaintRate": 0.0005}
"""The rates of the alarms (template/monitoring.yaml)."""

type Client = Callable[[str], Any]
type LookUp = Callable[[str], Sequence[str]]


def add_commands(commands: Any) -> None:
    """Add the commands to the operator's."""
    status = commands.add_parser(
        "mail-status", help="show the state of mail in Amazon SES, and what to do about it"
    )
    status.set_defaults(
        run=lambda options: status_of(options.stack_name, options.parameters, _client, _mail_servers)
    )
    again = commands.add_parser(
        "unsuppress", help="let Amazon SES send to an address again that bounced or complained"
    )
    again.add_argument("address", metavar="ADDRESS")
    again.set_defaults(run=_unsuppress)


def status_of(stack: str, parameters: Mapping[str, str], client: Client, look_up: LookUp) -> dict[str, Any]:
    """Return the state of a stack's mail; `problems` says what is wrong, and what to do."""
    found: dict[str, Any] = {"problems": []}
    problems: list[str] = found["problems"]
    sender = parameters.get("MailFrom", "")
    found["account"] = _account(client("sesv2"), problems)
    if sender:
        found["sender"] = _identity(client("sesv2"), sender, problems)
        found["configuration_set"] = _configuration_set(client("sesv2"), stack, problems)
    else:
        problems.append(
            "MailFrom is empty, so nothing is sent. Verify an address in SES and set the parameter."
        )
    domain = parameters.get("InboundMailDomain", "")
    found["inbound"] = domain and _inbound(
        stack, domain, parameters.get("InboundRuleSet", ""), client, look_up, problems
    )
    found["rates"] = _rates(client("cloudwatch"), problems)
    found["queues"] = {queue: _queue(client("sqs"), queue, problems) for queue in QUEUES}
    found["suppressed"] = _suppressed(client("sesv2"))
    return found


def _account(ses: Any, problems: list[str]) -> dict[str, Any]:
    account = ses.get_account()
    quota = account.get("SendQuota", {})
    production, enabled = account.get("ProductionAccessEnabled", False), account.get("SendingEnabled", False)
    if not production:
        problems.append(
            "The account is in the SES sandbox: mail goes to verified addresses alone. Ask for production access "
            "(docs/guides/mail.md, Leave the SES sandbox)."
        )
    if not enabled:
        problems.append(
            "SES doesn't send for this account. Read the messages of AWS Support about it and answer them."
        )
    sent, most = quota.get("SentLast24Hours", 0.0), quota.get("Max24HourSend", 0.0)
    if 0 < most <= sent / 0.9:
        problems.append(
            f"{sent:.0f} of {most:.0f} mails of the day are sent. Ask AWS for a higher sending quota."
        )
    return {
        "production": production,
        "sending_enabled": enabled,
        "sent_in_24_hours": int(sent),
        "quota_in_24_hours": int(most),
        "mails_per_second": quota.get("MaxSendRate", 0.0),
    }


def _identity(ses: Any, sender: str, problems: list[str]) -> dict[str, Any]:
    """Return what SES knows of a sender: of its address, or else of its domain."""
    for name in (sender, sender.rpartition("@")[2]):
        try:
            identity = ses.get_email_identity(EmailIdentity=name)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NotFoundException":
                raise
            continue
        dkim = identity.get("DkimAttributes", {}).get("Status", "NOT_STARTED")
        verified = identity.get("VerifiedForSendingStatus", False)
        if not verified:
            problems.append(
                f"SES has not verified {name}. Open the link in its mail, or publish the domain's records."
            )
        if dkim != "SUCCESS":
            problems.append(
                f"Mail of {name} has no DKIM signature of its domain (status {dkim}), so mail programs may take it for "
                "spam. Verify the domain with Easy DKIM (docs/guides/receiving-mail.md)."
            )
        mail_from = identity.get("MailFromAttributes", {})
        return {
            "identity": name,
            "verified": verified,
            "dkim": dkim,
            "mail_from_domain": mail_from.get("MailFromDomain") or None,
            "mail_from_status": mail_from.get("MailFromDomainStatus"),
        }
    problems.append(
        f"SES knows neither {sender} nor its domain in this region. Verify one (docs/guides/mail.md)."
    )
    return {"identity": None}


def _configuration_set(ses: Any, stack: str, problems: list[str]) -> dict[str, Any] | None:
    try:
        found = ses.get_configuration_set(ConfigurationSetName=stack)
        destinations = ses.get_configuration_set_event_destinations(ConfigurationSetName=stack)[
            "EventDestinations"
        ]
    except ClientError as error:
        if error.response["Error"]["Code"] != "NotFoundException":
            raise
        problems.append(
            f"The configuration set {stack} is missing, so nothing can be sent. Deploy the stack again."
        )
        return None
    enabled = found.get("SendingOptions", {}).get("SendingEnabled", True)
    events = sorted(
        {kind for each in destinations if each.get("Enabled") for kind in each["MatchingEventTypes"]}
    )
    if not enabled:
        problems.append(
            f"Sending with the configuration set {stack} is paused. Find out why, then resume it in SES."
        )
    if not {"BOUNCE", "COMPLAINT"} <= set(events):
        problems.append(
            f"The configuration set {stack} doesn't report bounces and complaints. Deploy the stack again."
        )
    suppresses = found.get("SuppressionOptions", {}).get("SuppressedReasons", [])
    return {"name": stack, "sending_enabled": enabled, "events": events, "suppresses": suppresses}


def _inbound(
    stack: str, domain: str, rule_set: str, client: Client, look_up: LookUp, problems: list[str]
) -> dict[str, Any]:
    """Return how mail of a domain comes in: its MX record, and the stack's rule in the active set."""
    region = os.environ.get("AWS_DEFAULT_REGION") or Session().get_config_variable("region")
    wanted = f"inbound-smtp.{region}.amazonaws.com"
    servers = list(look_up(domain))
    if servers != [wanted]:
        problems.append(
            f"The MX record of {domain} is {', '.join(servers) or 'missing'}. Set it to: 10 {wanted}"
        )
    if not rule_set:
        problems.append(
            "InboundRuleSet is empty, so SES has no rule for the domain. Set the parameter, and deploy."
        )
    try:
        active = client("ses").describe_active_receipt_rule_set()
    except (ClientError, BotoCoreError) as error:
        problems.append(
            f"The receipt rules can't be read ({error}). SES receives mail in some regions alone."
        )
        active = {}
    name = active.get("Metadata", {}).get("Name")
    rules = [rule for rule in active.get("Rules", []) if rule["Name"] == stack and rule.get("Enabled")]
    if rule_set and name != rule_set:
        problems.append(
            f"The active set of receipt rules is {name or 'none'}, not {rule_set}. Run: "
            f"aws ses set-active-receipt-rule-set --rule-set-name {rule_set}"
        )
    elif rule_set and not rules:
        problems.append(f"The set {rule_set} has no enabled rule named {stack}. Deploy the stack again.")
    return {"domain": domain, "mx": servers, "active_rule_set": name, "has_rule": bool(rules)}


def _rates(cloudwatch: Any, problems: list[str]) -> dict[str, float | None]:
    """Return the newest bounce and complaint rate of the last day; None if SES has published none."""
    now = datetime.now(UTC)
    found: dict[str, float | None] = {}
    for metric, threshold in _WATCHED.items():
        points = cloudwatch.get_metric_statistics(
            Namespace="AWS/SES",
            MetricName=metric,
            StartTime=now - timedelta(days=1),
            EndTime=now,
            Period=3_600,
            Statistics=["Maximum"],
        )["Datapoints"]
        rate = max(points, key=lambda point: point["Timestamp"])["Maximum"] if points else None
        name = metric.removeprefix("Reputation.")
        found[name] = rate
        if rate is not None and rate >= threshold:
            problems.append(
                f"{name} is {rate:.2%}; AWS reviews accounts from {_REVIEWED[metric]:.1%} on. The logs of MailReceiver "
                "(mail_bounced, mail_complained) name the organizations."
            )
    return found


def _queue(sqs: Any, queue: str, problems: list[str]) -> dict[str, int]:
    url = os.environ[f"{queue.upper()}_QUEUE_URL"]
    waiting, redrive = _waiting(sqs, url)
    dead_letters = 0
    if redrive:
        name = json.loads(redrive)["deadLetterTargetArn"].rpartition(":")[2]
        dead_letters, _ = _waiting(sqs, sqs.get_queue_url(QueueName=name)["QueueUrl"])
    if dead_letters:
        problems.append(
            f"{dead_letters} messages of {queue} were given up. Fix the cause, then run: redrive {queue}"
        )
    return {"waiting": waiting, "dead_letters": dead_letters}


def _waiting(sqs: Any, url: str) -> tuple[int, str | None]:
    """Return how many messages a queue has, under way and delayed ones too, and its redrive policy."""
    names = [f"ApproximateNumberOfMessages{which}" for which in ("", "NotVisible", "Delayed")]
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[*names, "RedrivePolicy"])
    attributes = answer.get("Attributes", {})
    return sum(int(attributes.get(name, 0)) for name in names), attributes.get("RedrivePolicy")


def _suppressed(ses: Any) -> dict[str, Any]:
    """Return the addresses that SES sends nothing to: how many, and the newest."""
    found: list[dict[str, Any]] = []
    after: dict[str, str] = {}
    while True:
        page = ses.list_suppressed_destinations(PageSize=1_000, **after)
        found += page.get("SuppressedDestinationSummaries", [])
        if not page.get("NextToken"):
            break
        after = {"NextToken": page["NextToken"]}
    newest = sorted(found, key=lambda each: each["LastUpdateTime"], reverse=True)[:NEWEST_SUPPRESSED]
    return {
        "count": len(found),
        "newest": [
            {
                "address": each["EmailAddress"],
                "reason": each["Reason"],
                "since": each["LastUpdateTime"].isoformat(),
            }
            for each in newest
        ],
    }


def _unsuppress(options: argparse.Namespace) -> dict[str, str]:
    try:
        _client("sesv2").delete_suppressed_destination(EmailAddress=options.address)
    except ClientError as error:
        if error.response["Error"]["Code"] != "NotFoundException":
            raise
        raise OperatorError(f"SES doesn't suppress {options.address} in this region.") from None
    return {"address": options.address, "suppressed": "no"}


def _client(service: str) -> Any:
    return Session().create_client(service)


def _mail_servers(domain: str) -> Sequence[str]:
    """Return the servers of a domain's MX records, the preferred first."""
    import dns.exception  # noqa: PLC0415 - no other command needs it
    import dns.resolver  # noqa: PLC0415

    try:
        answers = sorted(dns.resolver.resolve(domain, "MX", lifetime=5), key=lambda each: each.preference)
    except dns.exception.DNSException:
        return []
    return [each.exchange.to_text(omit_final_dot=True).lower() for each in answers]
